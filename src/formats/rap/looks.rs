//! Recognizes configs among other texts: C++, shaders, settings of other programs.

use crate::base::amount::Amount;

/// The maximum number of bytes that are examined, from the start of a text.
const HEAD: usize = 64 << 10;

/// Directives of configs. Others, such as `#pragma` and `#version`, are of other languages.
const DIRECTIVES: &[&[u8]] =
    &[b"include", b"define", b"undef", b"ifdef", b"ifndef", b"if", b"else", b"endif", b"line", b"elif"];

/// Words that begin declarations of other languages, if another word follows them.
const OTHER_LANGUAGES: &[&[u8]] = &[
    b"namespace",
    b"template",
    b"typedef",
    b"struct",
    b"union",
    b"using",
    b"extern",
    b"static",
    b"inline",
    b"constexpr",
    b"void",
    b"return",
    b"friend",
    b"virtual",
    b"private",
    b"function",
    b"local",
    b"var",
];

/// What was found in the head of a text.
#[derive(Debug, Default)]
struct Signs {
    /// Classes, values and arrays.
    entries: Amount<usize>,
    classes: Amount<usize>,
    /// Includes of files in quotes.
    includes: Amount<usize>,
    /// Those of them whose paths are written as configs write them.
    config_includes: Amount<usize>,
    /// What no config has.
    others: Amount<usize>,
    /// True if a declaration of another language was found.
    is_of_other_language: bool,
}

impl Signs {
    /// Counts an include. `path` is what follows the word `include`, from the quote on.
    fn include(&mut self, path: &[u8]) {
        let Some(quoted) = path.strip_prefix(b"\"") else {
            // `#include <vector>`
            self.others += 1;
            return;
        };
        let end = memchr::memchr2(b'"', b'\n', quoted).unwrap_or(quoted.len());
        let (path, _) = quoted.split_at(end);
        self.includes += 1;
        if is_config_path(path) {
            self.config_includes += 1;
        }
    }
}

/// The least that a text must have to be a config. Names of files decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Least {
    /// A class. Settings of other programs have values as well.
    Class,
    /// An entry, or an include that a C header would not have.
    Entry,
    /// Any include in quotes.
    Include,
}

/// Returns true if a text is a config, or consists of directives for one.
pub(crate) fn is_config(text: &[u8], least: Least) -> bool {
    /// The number of entries that outweigh one thing that no config has.
    const TOLERANCE: usize = 8;
    let mut lexer = Lexer { rest: text.get(..HEAD).unwrap_or(text), is_whole: text.len() <= HEAD };
    let mut signs = Signs::default();
    lexer.read(&mut signs);
    if signs.is_of_other_language {
        return false;
    }
    let is_enough = match least {
        Least::Class => signs.classes.0 > 0,
        Least::Entry => signs.entries.0 > 0 || signs.config_includes.0 > 0,
        Least::Include => signs.entries.0 > 0 || signs.includes.0 > 0,
    };
    is_enough && signs.others * TOLERANCE <= signs.entries
}

/// Returns true for the path of an include as configs write it: with backslashes, or a bare name with an extension that is not
/// that of a C header.
/// A text of directives alone may also be a header of a C or C++ library, which includes others of the library.
fn is_config_path(path: &[u8]) -> bool {
    if path.contains(&b'\\') {
        return true;
    }
    let is_of_c = [&b".h"[..], b".hh", b".hxx", b".h++", b".c", b".cc", b".cxx"].iter().any(|end| path.ends_with(end));
    !is_of_c && path.contains(&b'.') && !path.contains(&b'/')
}

/// Reads a text from start to end.
struct Lexer<'a> {
    /// The rest of the text, or of its first [`HEAD`] bytes.
    rest: &'a [u8],
    /// True if the text has no more than these bytes. Otherwise, its last entry may be cut short.
    is_whole: bool,
}

impl<'a> Lexer<'a> {
    /// Skips this many bytes, or all that are left if there are fewer.
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Skips the rest of the line, and the lines that continue it after a `\` at the end.
    fn skip_line(&mut self) {
        loop {
            let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
            let goes_on = self.rest.get(..end).is_some_and(|line| line.trim_ascii_end().ends_with(b"\\"));
            self.skip(end.saturating_add(1));
            if !goes_on || self.rest.is_empty() {
                return;
            }
        }
    }

    /// Skips white space, comments and directives.
    fn skip_blank(&mut self, signs: &mut Signs) {
        loop {
            let blank = self.rest.iter().position(|byte| !byte.is_ascii_whitespace());
            self.skip(blank.unwrap_or(self.rest.len()));
            match self.rest {
                [b'/', b'/', ..] => self.skip_line(),
                [b'/', b'*', ..] => {
                    let end = memchr::memmem::find(self.rest, b"*/");
                    self.skip(end.map_or(self.rest.len(), |end| end.saturating_add(2)));
                }
                [b'#', ..] => self.directive(signs),
                _ => return,
            }
        }
    }

    /// Skips the directive that starts here, and counts an include or a directive that no config has.
    fn directive(&mut self, signs: &mut Signs) {
        self.skip(1);
        let word = self.rest.trim_ascii_start();
        let length = word.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(word.len());
        let (name, after) = word.split_at(length);
        if !DIRECTIVES.contains(&name) {
            signs.others += 1;
        } else if name == b"include" {
            signs.include(after.trim_ascii_start());
        }
        self.skip_line();
    }

    /// Skips the quoted text that starts here, up to its closing quote or the end of the line.
    fn quoted(&mut self) {
        let inner = self.rest.get(1..).unwrap_or_default();
        let end = memchr::memchr2(b'"', b'\n', inner);
        self.skip(end.map_or(self.rest.len(), |end| end.saturating_add(2)));
    }

    /// Takes a name, and skips the arguments in parentheses after it, which make it a macro call. Returns the name
    /// alone; empty if there is none.
    fn name(&mut self) -> &'a [u8] {
        let all = self.rest;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
        let length = all.iter().position(|byte| !is_part(byte)).unwrap_or(all.len());
        self.skip(length);
        if length > 0 && self.rest.starts_with(b"(") {
            self.group(b'(', b')');
        }
        all.get(..length).unwrap_or_default()
    }

    /// Skips from an opening byte to the one that closes it, or to the end if none does.
    fn group(&mut self, open: u8, close: u8) {
        let mut depth = Amount(0_usize);
        while let Some(&byte) = self.rest.first() {
            if byte == b'"' {
                self.quoted();
                continue;
            }
            if byte == open {
                depth += 1;
            }
            self.skip(1);
            if byte == close {
                depth -= 1;
                if depth.0 == 0 {
                    return;
                }
            }
        }
    }

    /// Skips a value up to its semicolon. Returns false if there is none in its line, as in other programs' settings.
    fn value(&mut self) -> bool {
        while let Some(&byte) = self.rest.first() {
            match byte {
                b'"' => self.quoted(),
                b'(' => self.group(b'(', b')'),
                b'{' => self.group(b'{', b'}'),
                b';' | b'}' => return true,
                b'\n' => {
                    let next = self.rest.trim_ascii_start();
                    match next.first() {
                        Some(b'}' | b';') => return true,
                        // Some writers begin an array on its own line.
                        Some(b'{' | b'"' | b'\\') => self.rest = next,
                        _ => return false,
                    }
                }
                _ => self.skip(1),
            }
        }
        // The semicolon may follow after the bytes that are examined.
        !self.is_whole
    }

    /// Reads all entries, and counts in `signs` what they are.
    fn read(&mut self, signs: &mut Signs) {
        loop {
            self.skip_blank(signs);
            let Some(&first) = self.rest.first() else { return };
            if matches!(first, b'}' | b';' | b',') {
                self.skip(1);
                continue;
            }
            let before = self.rest;
            let is_entry = self.entry(signs);
            // A byte that starts nothing.
            if self.rest.len() == before.len() {
                self.skip(1);
            }
            match is_entry {
                Some(true) => signs.entries += 1,
                // It may be cut short.
                Some(false) if self.rest.is_empty() && !self.is_whole => return,
                Some(false) => signs.others += 1,
                None => {}
            }
        }
    }

    /// Skips an entry. Returns true if a config can have it, false if no config has it, and `None` for a macro alone,
    /// which proves nothing.
    fn entry(&mut self, signs: &mut Signs) -> Option<bool> {
        let start = self.rest;
        let name = self.name();
        if name.is_empty() {
            return Some(false);
        }
        let is_call = start.get(name.len()) == Some(&b'(');
        let is_word = |known: &[u8]| name.eq_ignore_ascii_case(known) && !is_call;
        let line_len = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let ends_line = self.rest.get(..line_len).is_some_and(|rest| rest.trim_ascii().is_empty());
        self.skip_blank(signs);
        let is_before_word = self.rest.first().is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_');
        if is_before_word && OTHER_LANGUAGES.contains(&name) {
            signs.is_of_other_language = true;
            return Some(false);
        }
        if is_word(b"class") {
            return Some(self.class(signs));
        }
        if is_word(b"delete") || is_word(b"enum") {
            self.name();
            self.skip_blank(signs);
            return Some(matches!(self.rest.first(), Some(b';' | b'{')));
        }
        match self.rest {
            // A value; `==` compares.
            [b'=', after, ..] if *after != b'=' => {
                self.skip(1);
                Some(self.value())
            }
            // An array: `[] =` or `[] +=`.
            [b'[', ..] => {
                self.group(b'[', b']');
                self.skip_blank(signs);
                if self.rest.starts_with(b"+") {
                    self.skip(1);
                }
                if !self.rest.starts_with(b"=") {
                    return Some(false);
                }
                self.skip(1);
                Some(self.value())
            }
            [b';', ..] | [] => None,
            [b'{', ..] => Some(false),
            // A macro may stand alone in its line.
            _ if is_call || ends_line => None,
            _ => Some(false),
        }
    }

    /// Skips the head of a class after the word `class`: its name, a parent, and `{` or `;`. Returns false if neither
    /// of the two follows.
    fn class(&mut self, signs: &mut Signs) -> bool {
        self.name();
        // In the body of a macro, `##` joins parts of the name.
        while self.rest.starts_with(b"##") {
            self.skip(2);
            self.name();
        }
        self.skip_blank(signs);
        if self.rest.starts_with(b":") {
            self.skip(1);
            self.skip_blank(signs);
            self.name();
            self.skip_blank(signs);
        }
        let is_class = matches!(self.rest.first(), Some(b'{' | b';'));
        if is_class {
            signs.classes += 1;
            self.skip(1);
        }
        is_class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_are_recognized_by_their_entries() {
        for text in [
            "class CfgPatches { class my { units[] = {}; requiredVersion = 0.1; }; };",
            "#include \"script_component.hpp\"\n\nclass CfgPatches {\n class ADDON {\n  name = COMPONENT_NAME;\n };\n};",
            "#include \"a.hpp\"\n#include \"b.hpp\"\n",
            "#define COMPONENT main\n#include \"\\z\\a\\addons\\main\\script_mod.h\"\n",
            "version=53;\nclass Mission\n{\n\tclass Intel { year=2035; };\n};",
            "onLoadName = \"Test\";\nloadScreen = \"a.paa\";\nclass Header { gameType = Coop; };",
            "texture = \"a.paa\";",
            "ambient[] = {1,1,1,1};\nclass Stage1 { texture=\"a.paa\"; uvSource=\"tex\"; };",
            "class A: B {\n  MACRO(x)\n  EMPTY\n  items[] += {\"a\",\n    \"b\"};\n  delete C;\n  class D;\n};",
            "template = \"a.paa\";\nstatic = 0;\nlocal[] = {};\nclass struct { void = 1; };",
            "// only a class\nclass CfgSkeletons{class S{skeletonBones[]={\"a\",\"\"};};};",
        ] {
            assert!(is_config(text.as_bytes(), Least::Entry), "{text}");
        }
        assert!(!is_config(b"hostname = \"a\";", Least::Class));
        assert!(is_config(b"class A {};", Least::Class));
    }

    #[test]
    fn texts_of_directives_are_configs_by_the_paths_of_their_includes() {
        for (include, is_of_config) in [
            ("script_component.hpp", true),
            ("\\x\\cba\\addons\\main\\script_macros.h", true),
            ("ui\\defines.inc", true),
            ("common.inc", true),
            ("a.h", false),
            ("a.hh", false),
            ("a.hxx", false),
            ("a.c", false),
            ("a.cc", false),
            ("lib/a.hpp", false),
            ("../a.h", false),
        ] {
            let text = format!("#ifndef A\n#define A\n#include \"{include}\"\n#endif\n");
            assert_eq!(is_config(text.as_bytes(), Least::Entry), is_of_config, "{include}");
            assert!(is_config(text.as_bytes(), Least::Include), "{include}");
            let entries = format!("{text}texture = \"a.paa\";");
            assert!(is_config(entries.as_bytes(), Least::Entry), "{include}");
        }
        assert!(!is_config(b"#include <a.hpp>\n", Least::Include));
    }

    #[test]
    fn other_texts_are_not_configs() {
        for text in [
            "",
            "a text of words\n",
            "#include <vector>\n#include \"main.h\"\n\nint main() {\n  x = 5;\n  return 0;\n}\n",
            "#include \"a.hpp\"\nnamespace a {\nclass B;\nclass C;\nclass D;\nclass E;\nclass F;\nclass G;\nclass H;\nclass I;\n}\n",
            "#include \"A text, of no file\"\n",
            "#pragma once\n#include \"a.h\"\nnamespace a { class B; }\n",
            "#include \"a.h\"\nclass Foo : public Bar {\npublic:\n  void run();\n  int a = 5;\n};\n",
            "#include \"config.h\"\nConfig::Config() : a_(0) { load(\"a.png\"); }\nvoid Config::load(const char* name) {}\n",
            "#version 330\nuniform sampler2D diffuse;\nvoid main() { gl_FragColor = texture(diffuse, uv); }\n",
            "cbuffer A : register(b0) { float4x4 world; };\nfloat4 main() : SV_Target { return 0; }\n",
            "[section]\nicon = a.png\nname = b\n",
            "icon = a.png\nname = b\n",
            "seta r_mode \"6\"\nbind x \"+attack\"\n",
            "{ \"icon\": \"a.png\" }",
            "window : { title = \"x\"; icon = \"a.png\"; };",
            "local a = require(\"b\")\nreturn { texture = \"a.png\" }\n",
            "_unit addWeapon \"a\";\nif (alive player) then { hint \"a.paa\"; };\n",
        ] {
            assert!(!is_config(text.as_bytes(), Least::Entry), "{text}");
        }
    }
}
