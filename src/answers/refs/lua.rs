//! Models and textures that the Lua texts of Luanti mods name.
//!
//! Literal texts are read under the keys of definitions: `mesh = "x.b3d"`, `textures = {"a.png^b.png"}`. In a text that
//! calls the engine, so are those that stand alone, such as arguments. What code builds from variables is listed as code,
//! [unresolved](super::State::Unresolved).

mod frame;
mod lexer;
mod values;
mod words;

use std::path::Path;

use self::values::Values;
pub(super) use self::words::IMAGES;
use super::configs::Ask;
use crate::base::error::Error;
use crate::base::limits::Limits;
use crate::scan::config_names::extension_in;
use crate::summary::{Problems, References};

/// The most bytes of a Lua text.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Returns true for names of Lua texts.
pub(super) fn is_lua(name: &Path) -> bool {
    extension_in(name, &["lua"])
}

/// Returns the references of a Lua text, each once, and the error if some are not read.
pub(super) fn asks(data: &[u8], limits: &Limits) -> (Vec<Ask>, Option<Error>) {
    if data.len() > MOST_BYTES {
        let message = format!("a Lua text of more than {MOST_BYTES} bytes, which is not read");
        return (Vec::new(), Some(Error::unsupported(message)));
    }
    let mut values = Values::of(data, References::new(limits));
    let deep = values.read().err();
    let Values { lexer, references, ways, .. } = values;
    let cut = deep.or(lexer.cut).or(references.limit_error());
    let list = references.into_vec(&mut Problems::new(limits));
    let mut asks = Vec::with_capacity(list.len());
    for (reference, (place, way)) in std::iter::zip(list, ways) {
        asks.push(Ask::in_text(reference, Some(place), way, None));
    }
    (asks, cut)
}

#[cfg(test)]
mod tests {
    use super::frame::MOST_PARTS;
    use super::values::{MOST_CODE, MOST_DEPTH};
    use super::*;
    use crate::formats::rap::text::Way;
    use crate::summary::ReferenceKind;

    /// Each reference as its kind, name and way, such as `t a.png` or `m? def.model`.
    fn read(lua: &str) -> Vec<String> {
        let (asks, cut) = asks(lua.as_bytes(), &Limits::default());
        assert!(cut.is_none(), "{lua}: {cut:?}");
        let row = |ask: &Ask| {
            let kind = if ask.reference.kind == ReferenceKind::Model { "m" } else { "t" };
            let mark = if *ask.way() == Way::Path { "" } else { "?" };
            format!("{kind}{mark} {}", ask.reference.name.text)
        };
        asks.iter().map(row).collect()
    }

    #[test]
    fn names_are_the_literal_texts_of_models_and_textures() {
        for (lua, expected) in [
            (r#"mesh = "x.b3d""#, &["m x.b3d"][..]),
            (
                r#"{mesh = 'x.obj', textures = {"a.png", [[b.jpg]]; "c.tga"}}"#,
                &["m x.obj", "t a.png", "t b.jpg", "t c.tga"],
            ),
            (r#"["mesh"] = "x.b3d", ['textures'] = {"a.png"}"#, &["m x.b3d", "t a.png"]),
            (r#"def.textures = {{"a.png"}, {"b.png", "a.png"}}"#, &["t a.png", "t b.png"]),
            (
                r#"male_textures = {"a.png"}, wield_image = "b.png" overlay_tiles = {"", "c.png"}"#,
                &["t a.png", "t b.png", "t c.png"],
            ),
            (
                r#"tiles = {{name = "a.png", animation = {type = "vertical_frames", length = n}}, "b.png"}"#,
                &["t a.png", "t b.png"],
            ),
            (r#"tiles = {{image = "a.png", color = c, backface_culling = not x}}"#, &["t a.png"]),
            ("local textures = {\"a.png\"}\nlocal x = \"no.png\"\nfoo(\"no.png\")", &["t a.png"]),
            ("textures = {\n\t-- \"no.png\",\n\t\"a.png\", --[[ \"no.png\" ]]\n}", &["t a.png"]),
            (
                r#"textures = {}, mesh = nil, tiles = {"", 7}, texture = false, image = "no.png", overlay = "no.png""#,
                &[],
            ),
            (r#"textures = {"default:stone"}, mesh = "", texture = "", description = "no.png""#, &[]),
            (r#"textures == {"no.png"}, mesh ~= "no.b3d", texture = "sub/no.png""#, &[]),
            (
                r#"player_api.register_model("character.b3d", {textures = {"character.png"}})"#,
                &["m character.b3d", "t character.png"],
            ),
            (r#"if mesh == "no.b3d" or x .. "no.b3d" == y then"#, &[]),
            (r#"tiles = {"stone", "a_b", x = "no"}, texture = "no""#, &["t stone", "t a_b"]),
        ] {
            assert_eq!(read(lua), expected, "{lua}");
        }
    }

    #[test]
    fn texts_that_stand_alone_are_names_in_code_for_the_engine() {
        let code = r#"register("x", {"a.png", 'b.png^c.png'}, "d.jpg", t["no.png"], path .. "no.png", "no.png" .. x,
            "image[0,0;1,1;no.png]", y == "no.png", "sub/no.png", "e_%d.png", x:gsub(".png", "_f.png")); t["no.png"] = 1"#;
        let expected = ["t a.png", "t b.png", "t c.png", "t d.jpg", "t? e_%d.png", "t? _f.png"];
        for global in ["minetest.after", "core.after"] {
            assert_eq!(read(&format!("{global}(1, f)\n{code}")), expected);
        }
        for other in ["", "score.add(1)\n", "my.core.add(1)\n", "core = {}\n"] {
            assert!(read(&format!("{other}{code}")).is_empty(), "{other}");
        }
    }

    #[test]
    fn modifiers_are_split_into_names() {
        for (texture, expected) in [
            ("a.png^b.png", &["a.png", "b.png"][..]),
            ("a.png^[colorize:#ff0000:120", &["a.png"]),
            ("(a.png^[multiply:red)^(b.png^[opacity:9)", &["a.png", "b.png"]),
            ("[combine:16x16:0,0=a.png:8,8=b.png", &["a.png", "b.png"]),
            (r"[combine:16x16:0,0=a.png\\^[colorize\\:red", &["a.png"]),
            ("[inventorycube{a.png{b.png&c.png{d.png", &["a.png", "b.png", "c.png", "d.png"]),
            ("a.png^[mask:b.png^[transformR90", &["a.png", "b.png"]),
            ("a.png^[lowpart:50:b.png", &["a.png", "b.png"]),
            ("[png:iVBORw0KGgo+/=", &[]),
            ("blank.png^[crack:1:0", &["blank.png"]),
            ("a.b.png^.png^png", &["a.b.png"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|name| format!("t {name}")).collect();
            assert_eq!(read(&format!("texture = \"{texture}\"")), expected, "{texture}");
        }
    }

    #[test]
    fn names_that_code_builds_are_unresolved() {
        for (lua, expected) in [
            (r#"textures = {"mobs_" .. name .. ".png"}"#, &[r#"t? "mobs_" .. name .. ".png""#][..]),
            (r#"mesh = "mobs_" .. name .. ".b3d""#, &[r#"m? "mobs_" .. name .. ".b3d""#]),
            // Whole names beside what is built.
            (r#"texture = "a.png^" .. over"#, &["t a.png", r#"t? "a.png^" .. over"#]),
            (r#"texture = base .. "_x.png^b.png""#, &["t b.png", r#"t? base .. "_x.png^b.png""#]),
            (r#"texture = base .. ".png^b.png^c.p" .. x"#, &["t b.png", r#"t? base .. ".png^b.png^c.p" .. x"#]),
            // Texts that are joined are one text.
            ("texture = \"a.png\" ..\n\t\"^b.png\" .. ('^c' .. '.png')", &["t a.png", "t b.png", "t c.png"]),
            // Choices list each text.
            (r#"texture = x and "a.png" or y == "no.png" and "b.png" or "c.png""#, &["t a.png", "t b.png", "t c.png"]),
            (r#"texture = (x and "a" or "b") .. ".png""#, &[r#"t? (x and "a" or "b") .. ".png""#]),
            (r#"mesh = name or "a.b3d""#, &["m? name", "m a.b3d"]),
            // A key that is set elsewhere is read there.
            ("mesh = def.mesh, textures = textures, tiles = self.tiles[1], texture = def.textures[i]", &[]),
            ("mesh = def.model, textures = {skin}", &["m? def.model", "t? skin"]),
            (r#"texture = get("no.png"), tiles = t["no.png"]"#, &[r#"t? get("no.png")"#, r#"t? t["no.png"]"#]),
            (r#"texture = ("a_%s.png"):format(x)"#, &[r#"t? ("a_%s.png"):format(x)"#]),
            (r#"textures = {"a_%d.png"}"#, &["t? a_%d.png"]),
            ("texture = function(self) return {texture = \"a.png\"} end", &["t? function", "t a.png"]),
            (
                "textures = {f(function() if x then return \"no.png\" end end), \"a.png\"}",
                &["t? f(function() if x then return \"no.png\" end end)", "t a.png"],
            ),
            (r#"texture = "a_" .. i + 1 .. ".png""#, &[r#"t? "a_" .. i + 1 .. ".png""#]),
            ("texture = i + 1, textures = {#list}, tiles = {...}", &["t? ..."]),
            ("texture = x\ny = \"no.png\"", &["t? x"]),
            ("texture = x\nlocal y = \"no.png\"", &["t? x"]),
        ] {
            assert_eq!(read(lua), expected, "{lua}");
        }
        let long = format!("mesh = {}y", "x .. ".repeat(100));
        let [row] = &read(&long)[..] else { panic!("{long}") };
        assert!(row.len() < MOST_CODE + 10 && row.ends_with(" ..."), "{row}");
    }

    #[test]
    fn places_are_those_of_the_texts() {
        let lua = b"x = {\n  mesh = \"x.b3d\",\n  textures = {\"a.png^b.png\",\n\tname .. 'c'},\n}";
        let (asks, _) = asks(lua, &Limits::default());
        let places: Vec<_> = asks.iter().map(|ask| (ask.reference.name.text.as_str(), ask.place().unwrap())).collect();
        assert_eq!(places, [("x.b3d", (2, 10)), ("a.png", (3, 15)), ("b.png", (3, 15)), ("name .. 'c'", (4, 2))]);
    }

    #[test]
    fn depth_bytes_and_references_are_limited() {
        let nested = |depth: usize| format!("textures = {}\"a.png\"{}", "{".repeat(depth), "}".repeat(depth));
        assert_eq!(read(&nested(MOST_DEPTH)), ["t a.png"]);
        for depth in [MOST_DEPTH + 1, 100_000] {
            let error = asks(nested(depth).as_bytes(), &Limits::default()).1.unwrap().to_string();
            assert!(error.contains("more than 200 levels of brackets"), "{error}");
        }
        // Brackets outside values do not count.
        assert_eq!(read(&format!("{}textures = {{\"a.png\"}}", "{".repeat(100_000))), ["t a.png"]);
        for (parts, is_code) in [(MOST_PARTS, false), (MOST_PARTS + 1, true)] {
            let rows = read(&format!("texture = 'a.png^' ..{} '^b.png'", " '' ..".repeat(parts - 2)));
            assert_eq!((rows.len(), rows[1].starts_with("t?")), (2, is_code), "{rows:?}");
        }
        let large = vec![b' '; MOST_BYTES + 1];
        assert!(asks(&large, &Limits::default()).1.unwrap().to_string().contains("more than 16777216 bytes"));
        assert!(asks(&large[1..], &Limits::default()).1.is_none());
        let many: String = (0..100).map(|index| format!("texture = '{index}.png' ")).collect();
        let limits = Limits::default().with_reference_bytes(1_000);
        let (asks, cut) = asks(many.as_bytes(), &limits);
        assert!(asks.len() < 20 && cut.unwrap().to_string().contains("bytes of references"));
    }

    #[test]
    fn what_is_not_lua_is_an_error_and_the_rest_is_read() {
        let (asks, cut) = asks(b"texture = \"a.png\nmesh = \"x.b3d\"", &Limits::default());
        assert!(cut.unwrap().to_string().contains("a text without its closing quote"));
        assert_eq!(asks.iter().filter(|ask| ask.reference.kind == ReferenceKind::Model).count(), 1);
    }
    #[test]
    fn a_text_of_several_parts_has_the_place_of_the_first() {
        for gap in [" ", "\n", " --x\n  "] {
            for (parts, is_path) in [
                (&["\"a\"", "\".png\""][..], true),
                (&["'a'", "[[b]]", "'.png'"], true),
                (&["\"a\"", "n", "\".png\""], false),
            ] {
                let lua = format!("x = 1\n  tiles = {{{}}}", parts.join(&format!("{gap}..{gap}")));
                let (asks, _) = asks(lua.as_bytes(), &Limits::default());
                assert_eq!(asks.len(), 1, "{lua}");
                assert_eq!((asks[0].place(), *asks[0].way() == Way::Path), (Some((2, 12)), is_path), "{lua}");
            }
        }
    }

    #[test]
    fn names_within_the_limit_keep_their_lines_and_ways() {
        let mut lua = String::new();
        for number in 0..6 {
            lua +=
                &format!("texture = \"{}{number}.png\"\nmesh = x{number} .. \".b3d\"\n", "long".repeat(number % 3 * 9));
        }
        let lines: Vec<&str> = lua.lines().collect();
        let mut largest = 0;
        for reference_bytes in 0..1_200 {
            let (asks, cut) = asks(lua.as_bytes(), &Limits::default().with_reference_bytes(reference_bytes));
            for ask in &asks {
                let (line, _) = ask.place().unwrap();
                assert!(lines[line as usize - 1].contains(&ask.reference.name.text), "{reference_bytes}: {line}");
                assert_eq!(*ask.way() == Way::Path, line % 2 == 1, "{reference_bytes}: {line}");
            }
            assert_eq!(cut.is_some(), asks.len() < 12, "{reference_bytes}");
            largest = largest.max(asks.len());
        }
        assert_eq!(largest, 12);
    }
}
