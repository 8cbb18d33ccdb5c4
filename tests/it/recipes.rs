//! Runs every command in README.md and GUIDE.md, and compares its output with the page.
//!
//! A recipe is a block of `sh` that calls meshpeek, followed by a block of `text` with the output, in which a line
//! `...` stands for any lines. Recipes run in a temporary folder that has the project's `corpus`. `MESHPEEK_BLESS=1`
//! writes their output into the pages, except where a page omits lines.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::corpus::{self, root};

struct Recipe {
    page: &'static str,
    line: usize,
    script: String,
    prints: String,
}

#[test]
fn recipes_print_what_the_pages_say() {
    if !runs("bash", "true") || !runs("bash", "command -v jq") {
        println!("skipped: recipes need bash and jq");
        return;
    }
    let recipes: Vec<Recipe> = ["README.md", "GUIDE.md"].into_iter().flat_map(recipes).collect();
    assert!(recipes.len() > 5, "{} recipes", recipes.len());
    let mut wrong = Vec::new();
    for recipe in &recipes {
        let output = run(&recipe.script);
        if !fits(&recipe.prints, &output) {
            if corpus::blessing() && !recipe.prints.lines().any(|line| line == "...") {
                bless(recipe, &output);
                continue;
            }
            let Recipe { page, line, script, prints } = recipe;
            wrong.push(format!("{page}:{line}:\n{script}\n-- says --\n{prints}\n-- prints --\n{output}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Writes the output of a recipe into its page.
fn bless(recipe: &Recipe, output: &str) {
    let page = root().join(recipe.page);
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
fn recipes(page: &'static str) -> Vec<Recipe> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let mut blocks = blocks(&text).into_iter().peekable();
    let mut recipes = Vec::new();
    while let Some((line, language, script)) = blocks.next() {
        if language == "sh" && script.lines().any(|line| line.split_whitespace().any(|word| word == "meshpeek")) {
            let prints = blocks.next_if(|(_, language, _)| language == "text");
            let (_, _, prints) = prints.unwrap_or_else(|| panic!("{page}:{line}: nothing says what this prints"));
            recipes.push(Recipe { page, line, script, prints });
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

/// Returns the standard output of the script.
fn run(script: &str) -> String {
    let folder = std::env::temp_dir().join(format!("meshpeek-recipes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let copied = Command::new("cp").arg("-r").arg(root().join("corpus")).arg(&folder).status().unwrap();
    assert!(copied.success());
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(&folder)
        .env("PATH", path())
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(output.stdout).unwrap()
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
