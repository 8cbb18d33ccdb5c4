//! References as text for people.

use super::model;
use crate::support::program::{Folder, program};
use crate::support::pty::stdout_on_terminal;

/// Each fact has a line, a path is never broken, and one name of one model is printed once.
#[test]
fn one_fact_is_one_line_at_any_width() {
    let folder = Folder::new("refs-table");
    let long = "a folder with a long name of many words/".repeat(3);
    let name = r"my\a folder of many words that is long\and another of many words\gone texture_co.paa";
    folder.file(&format!("{long}m/model.p3d"), model(&[r"my\x.paa"], r"my\0.rvmat", ""));
    for number in 0..3 {
        let next = format!(" class S{{ texture = \"{name}\"; }};");
        folder.file(&format!("{long}m/{number}.rvmat"), next);
    }
    folder.file(&format!("{long}m/$PBOPREFIX$"), "my");
    let config = "class A { hiddenSelectionsMaterials[] = {\"my\\0.rvmat\", \"my\\1.rvmat\", \"my\\2.rvmat\"}; };";
    folder.file(&format!("{long}m/config.cpp"), config);
    let folder_name = format!("./{long}m");
    for columns in [40, 80, 200] {
        let mut refs = program();
        refs.current_dir(&folder.0).args(["refs", "-q", "--color", "never", "."]);
        let text = stdout_on_terminal(refs, columns).replace('\\', "/");
        let expected = [
            format!("{folder_name}/config.cpp"),
            "  found       material  my/0.rvmat".to_owned(),
            "      at 1:42".to_owned(),
            format!("      -> {folder_name}/0.rvmat"),
            format!("  missing     texture   {}", name.replace('\\', "/")),
            format!("      via {folder_name}/0.rvmat:1:21"),
            format!("      via {folder_name}/1.rvmat:1:21"),
            format!("      via {folder_name}/2.rvmat:1:21"),
        ];
        let lines: Vec<&str> = text.lines().collect();
        for (line, expected) in lines.iter().zip(&expected) {
            assert_eq!(line, expected, "{columns}:\n{text}");
        }
        assert_eq!(text.matches("missing     texture   my/a folder").count(), 1, "{text}");
    }
}
