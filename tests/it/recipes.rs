//! Runs every command in README.md, GUIDE.md and the pages of the site, and compares its output with the page.
//!
//! A recipe is a block of `sh` that calls meshpeek, followed by a block of `text` with the output, in which a line
//! `...` stands for any lines. Recipes run in a copy of the project's `corpus`; those of README.md show what a terminal
//! shows, all others what a pipe gets. `MESHPEEK_BLESS=1` writes their output into the pages, except where a page omits
//! lines.
//!
//! Every other block is marked by a comment before it, `<!-- untested: REASON -->`, or run by another test.
//!
//! The pictures in docs/pictures are compared with those that `.ci/pictures` makes.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::files;
use crate::support::files::root;
use crate::support::program::Folder;

struct Recipe {
    page: String,
    line: usize,
    script: String,
    prints: String,
}

#[test]
fn recipes_print_the_output_on_the_pages() {
    if !runs("bash", "command -v jq") {
        println!("skipped: recipes need bash and jq");
        return;
    }
    let work = Folder::new("recipes");
    let mut pages = vec!["README.md".to_owned(), "GUIDE.md".to_owned()];
    add_pages(Path::new("site/src"), &mut pages);
    let recipes: Vec<Recipe> = pages.iter().flat_map(|page| recipes(page)).collect();
    assert!(recipes.len() > 30, "{} recipes", recipes.len());
    let mut wrong = Vec::new();
    for recipe in &recipes {
        let output = run(recipe, &work.0);
        assert!(!output.trim().is_empty(), "{}:{}: prints nothing", recipe.page, recipe.line);
        if !fits(&recipe.prints, &output) {
            if files::blessing() && !recipe.prints.lines().any(|line| line == "...") {
                bless(recipe, &output);
                continue;
            }
            let Recipe { page, line, script, prints } = recipe;
            wrong.push(format!("{page}:{line}:\n{script}\n-- says --\n{prints}\n-- prints --\n{output}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The blocks that no test runs, with the reason that stands before them.
const UNTESTED: [(&str, &str, &str); 20] = [
    ("README.md", "sh", "builds the program and runs the tests"),
    ("SECURITY.md", "sh", "takes minutes"),
    ("SECURITY.md", "sh", "needs a nightly toolchain"),
    ("SECURITY.md", "sh", ".ci/run fuzz runs it"),
    ("SECURITY.md", "sh", "takes minutes"),
    ("SECURITY.md", "sh", "needs a nightly toolchain"),
    ("capi/README.md", "sh", "installs files; .ci/run c does it in target"),
    ("python/README.md", "sh", "installs packages"),
    ("python/README.md", "python", "needs Python packages; python/tests has examples like it"),
    ("python/README.md", "python", "needs Python packages; python/tests has examples like it"),
    ("python/README.md", "python", "needs Python packages; python/tests has examples like it"),
    ("python/README.md", "python", "needs Python packages; python/tests has examples like it"),
    ("python/README.md", "python", "needs Python packages; python/tests has examples like it"),
    ("python/README.md", "python", "needs Python packages; python/tests has examples like it"),
    ("site/src/index.md", "bash", "needs a network"),
    ("site/src/lint.md", "yaml", "a workflow of GitHub"),
    ("site/src/lint.md", "yaml", "a configuration of pre-commit"),
    ("site/src/ru/index.md", "bash", "needs a network"),
    ("site/src/zh/index.md", "bash", "needs a network"),
    ("web/README.md", "sh", "installs packages"),
];

/// Each code block of the pages is run by a test, or says why not.
#[test]
fn every_code_block_is_run_or_says_why_not() {
    let mut pages = vec!["README.md".to_owned(), "GUIDE.md".to_owned()];
    add_pages(Path::new("site/src"), &mut pages);
    // Pages of the site take these.
    pages.extend(["SECURITY.md", "capi/README.md", "python/README.md", "web/README.md"].map(str::to_owned));
    pages.sort();
    let mut untested = Vec::new();
    for page in &pages {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut is_output = false;
        for (line, language, script) in blocks(&text) {
            let before = line.checked_sub(2).and_then(|above| lines.get(above)).unwrap_or(&"");
            let reason = before.strip_prefix("<!-- untested: ").and_then(|rest| rest.strip_suffix(" -->"));
            let is_recipe = language == "sh" && calls_meshpeek(&script);
            let is_run = match language.as_str() {
                "sh" => is_recipe,
                "text" => is_output,
                // A documentation test.
                "rust" => page == "README.md",
                // The test below.
                "toml" => page == "site/src/lint.md",
                _ => false,
            };
            is_output = is_recipe;
            match reason {
                Some(reason) => untested.push((page.clone(), language, reason.to_owned())),
                None => assert!(is_run, "{page}:{line}: no test runs this block, and nothing says why"),
            }
        }
    }
    let untested: Vec<(&str, &str, &str)> =
        untested.iter().map(|(page, language, reason)| (page.as_str(), language.as_str(), reason.as_str())).collect();
    assert_eq!(untested, UNTESTED);
}

/// The settings of the page for authors are such that `verify` reads.
#[test]
fn settings_on_the_pages_are_read() {
    let text = std::fs::read_to_string(root().join("site/src/lint.md")).unwrap();
    let folder = Folder::new("settings");
    let settings: Vec<_> = blocks(&text).into_iter().filter(|(_, language, _)| language == "toml").collect();
    assert_eq!(settings.len(), 1);
    for (_, _, settings) in settings {
        let file = folder.file("meshpeek.toml", &settings);
        let verify = |file: &Path| {
            let mut verify = crate::support::program::program();
            verify.args(["verify", "--lint", "-q", "corpus/mod/trees/oak.b3d", "--config"]).arg(file);
            verify.output().unwrap()
        };
        // The page denies the warnings that this model has.
        assert_eq!(crate::support::program::code(&verify(&file)), 1);
        let wrong = folder.file("wrong.toml", settings.replace("deny", "denies"));
        assert_eq!(crate::support::program::code(&verify(&wrong)), 2);
    }
}

fn calls_meshpeek(script: &str) -> bool {
    script.lines().any(|line| line.split_whitespace().any(|word| word == "meshpeek"))
}

/// The contents of the guide are its tasks, and each is answered by one command over a mod.
#[test]
fn each_task_is_one_command() {
    let text = std::fs::read_to_string(root().join("GUIDE.md")).unwrap();
    for letter in 'a'..='l' {
        let start = format!("\n### {letter}. ");
        let (_, section) = text.split_once(&start).unwrap_or_else(|| panic!("no task {letter}"));
        let title = section.lines().next().unwrap();
        let anchor = format!("{letter}. {title}").to_lowercase().replace(' ', "-").replace(['.', ',', '?'], "");
        assert!(text.contains(&format!("- [{letter}. {title}](#{anchor})\n")), "{title}");
        let commands: Vec<String> = blocks(section)
            .into_iter()
            .filter(|(_, language, _)| language == "sh")
            .map(|(.., script)| script)
            .collect();
        let command = &commands[0];
        assert_eq!(command.lines().count(), 1, "{command}");
        let is_of_mod = ["corpus/mod", "corpus/addons"].iter().any(|folder| command.contains(folder));
        assert!(command.starts_with("meshpeek ") && is_of_mod, "{command}");
    }
}

/// Adds the pages in a folder and the folders in it.
fn add_pages(folder: &Path, pages: &mut Vec<String>) {
    for entry in root().join(folder).read_dir().unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if root().join(&path).is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path.to_str().unwrap().replace(std::path::MAIN_SEPARATOR, "/"));
        }
    }
}

/// Writes the output of a recipe into its page.
fn bless(recipe: &Recipe, output: &str) {
    let page = root().join(&recipe.page);
    let text = std::fs::read_to_string(&page).unwrap();
    let block = |prints: &str| format!("```sh\n{}```\n\n```text\n{prints}```\n", recipe.script);
    let blessed = text.replacen(&block(&recipe.prints), &block(&format!("{}\n", output.trim_end())), 1);
    assert_ne!(text, blessed, "{}:{}: the blocks are not one after the other", recipe.page, recipe.line);
    std::fs::write(page, blessed).unwrap();
}

fn runs(program: &str, script: &str) -> bool {
    Command::new(program).args(["-c", script]).output().is_ok_and(|output| output.status.success())
}

/// The recipes of a page in order.
fn recipes(page: &str) -> Vec<Recipe> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let mut blocks = blocks(&text).into_iter().peekable();
    let mut recipes = Vec::new();
    while let Some((line, language, script)) = blocks.next() {
        if language == "sh" && calls_meshpeek(&script) {
            let prints = blocks.next_if(|(_, language, _)| language == "text");
            let (_, _, prints) = prints.unwrap_or_else(|| panic!("{page}:{line}: nothing says what this prints"));
            recipes.push(Recipe { page: page.to_owned(), line, script, prints });
        }
    }
    recipes
}

/// The fenced code blocks of a page: their line, language and content.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => open = Some((index + 1, language.to_owned(), String::new())),
            (None, Some((_, _, content))) => {
                content.push_str(line);
                content.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

/// Returns the standard output of a recipe, which runs beside a copy of the corpus.
fn run(recipe: &Recipe, work: &Path) -> String {
    let folder = work.join("work");
    std::fs::create_dir_all(&folder).unwrap();
    copy(&root().join("corpus"), &folder);
    let mut bash = Command::new("bash");
    bash.args(["-c", &recipe.script]).current_dir(&folder).env("PATH", path()).env_remove("COLUMNS");
    let output = match recipe.page.as_str() {
        #[cfg(unix)]
        "README.md" => {
            bash.env("NO_COLOR", "1");
            crate::support::pty::stdout_on_terminal(bash, 100)
        }
        _ => String::from_utf8(bash.output().unwrap().stdout).unwrap(),
    };
    std::fs::remove_dir_all(&folder).unwrap();
    output
}

/// Each picture of the documents is what the program draws or prints today.
#[cfg(target_os = "linux")]
#[test]
fn pictures_are_those_that_the_script_makes() {
    if !runs("bash", "command -v python3") {
        println!("skipped: pictures need python3");
        return;
    }
    let folder = Folder::new("pictures");
    let own = root().join("docs/pictures");
    let to = if files::blessing() { own.clone() } else { folder.0.clone() };
    let mut script = Command::new(root().join(".ci/pictures"));
    let output = script.arg(&to).env("MESHPEEK", env!("CARGO_BIN_EXE_meshpeek")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut bytes = 0;
    let stored = files::below(&own);
    for path in &stored {
        let picture = std::fs::read(path).unwrap();
        // web/picture.mjs makes that of the page, in a browser.
        let made = match path.ends_with("page.png") {
            true => picture.clone(),
            false => std::fs::read(to.join(path.file_name().unwrap())).unwrap_or_default(),
        };
        assert!(picture == made, "{} is old: `.ci/pictures` makes it anew", path.display());
        bytes += picture.len();
    }
    for path in files::below(&to) {
        let name = path.file_name().unwrap();
        assert!(stored.contains(&own.join(name)), "{} is new", path.display());
    }
    assert!(bytes < 400_000, "{bytes} bytes of pictures");
}

/// The search path with the program under test first.
fn path() -> std::ffi::OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_meshpeek")).parent().unwrap();
    let others = std::env::var_os("PATH").unwrap();
    let folders = [program.to_owned()].into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(folders.collect::<Vec<PathBuf>>()).unwrap()
}

/// Returns true if the lines match, where `...` stands for any lines.
fn fits(says: &str, prints: &str) -> bool {
    let says: Vec<&str> = says.lines().map(str::trim_end).collect();
    let prints: Vec<&str> = prints.lines().map(str::trim_end).collect();
    fits_lines(&says, &prints)
}

fn fits_lines(says: &[&str], prints: &[&str]) -> bool {
    match says {
        [] => prints.is_empty(),
        ["...", rest @ ..] => (0..=prints.len()).any(|skipped| fits_lines(rest, &prints[skipped..])),
        [line, rest @ ..] => prints.first() == Some(line) && fits_lines(rest, &prints[1..]),
    }
}

#[test]
fn any_lines_may_stand_for_dots() {
    assert!(fits("a\n...\nd\n", "a\nb\nc\nd\n"));
    assert!(fits("a\n...\n", "a\n"));
    assert!(!fits("a\n...\nd\n", "a\nb\n"));
    assert!(!fits("a\n", "a\nb\n"));
}
