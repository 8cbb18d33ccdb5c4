//! How `verify`, `refs` and `explain` report problems to people and to other programs.

use std::path::Path;

use meshpeek::Format;
use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::summary::{Class, Code, Severity};
use serde_json::Value as Json;

use crate::support::program::{Folder, code, lines, run, stderr, stdout};
use crate::writer;

/// The problems that `verify --format ndjson` lists for these paths: path, member, code, severity.
fn problems(records: &[Json]) -> Vec<[String; 4]> {
    let mut found = Vec::new();
    for record in records {
        for problem in record["problems"].as_array().unwrap() {
            let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
            found.push([
                text(&record["path"]),
                text(&record["member"]),
                text(&problem["code"]),
                text(&problem["severity"]),
            ]);
        }
    }
    found.sort();
    found
}

#[test]
fn sarif_and_github_have_every_problem_of_the_records() {
    let paths = ["corpus/hostile", "corpus/paa", "corpus/rtm"];
    let verify = |format: &str| run([&["verify", "--format", format], paths.as_slice()].concat());
    let expected = problems(&lines(&verify("ndjson")));
    let output = verify("sarif");
    let document: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let run = &document["runs"][0];
    let mut found = Vec::new();
    for result in run["results"].as_array().unwrap() {
        let location = &result["locations"][0];
        let path = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        let of_result = |key: &str| result[key].as_str().unwrap().to_owned();
        let row = [path.to_owned(), of_result("ruleId"), of_result("level")];
        let message = result["message"]["text"].as_str().unwrap();
        let is_it = |[file, member, rule, level]: &[String; 4]| {
            [file, rule, level] == [&row[0], &row[1], &row[2]] && (member.is_empty() || message.starts_with(member))
        };
        assert!(expected.iter().any(is_it), "{row:?}: {message}");
        found.push(row);
    }
    found.sort();
    // What an archive says of a member is said once; texts with the ending of an asset are no problem.
    let errors = found.iter().filter(|row| row[2] == "error").count();
    let all = expected.iter().filter(|row| row[3] == "error").count();
    assert!(errors > 100 && errors <= all, "{errors} of {all}");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let rules: Vec<&str> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert!(found.iter().all(|row| rules.contains(&row[1].as_str())));

    let github = stdout(&verify("github"));
    let (rows, counts) = github.trim_end().rsplit_once('\n').unwrap();
    let said = stderr(&output).lines().last().unwrap().to_owned();
    assert_eq!(counts, format!("::notice title=meshpeek::{said}"));
    assert_eq!(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"], said.as_str());
    let mut annotated = Vec::new();
    for line in rows.lines() {
        let (properties, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (level, properties) = properties.split_once(' ').unwrap();
        let (file, title) = properties.strip_prefix("file=").unwrap().split_once(",title=").unwrap();
        assert!(!message.is_empty(), "{line}");
        annotated.push([file.to_owned(), title.to_owned(), level.to_owned()]);
    }
    annotated.sort();
    assert_eq!(annotated, found);
}

#[test]
fn annotations_are_escaped_and_stand_where_the_name_does() {
    let folder = Folder::new("annotations");
    folder.file("a, 50%:/m.rvmat", "\n  texture = \"gone\\a_co.paa\";");
    let place = folder.0.to_str().unwrap();
    let output = run(["refs", "--format", "github", place]);
    let line = stdout(&output);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        line.contains("a%2C 50%25%3A/m.rvmat,line=2,col=13,title=refs.missing::texture gone\\a_co.paa is missing"),
        "{line}"
    );
    let document: Json = serde_json::from_str(&stdout(&run(["refs", "--format", "sarif", place]))).unwrap();
    let result = &document["runs"][0]["results"][0];
    let physical = &result["locations"][0]["physicalLocation"];
    let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/a%2C%2050%25%3A/m.rvmat"), "{uri}");
    assert_eq!(physical["region"], serde_json::json!({"startLine": 2, "startColumn": 13}));
    assert_eq!(result["ruleId"], "refs.missing");
}

#[test]
fn stale_copies_and_members_that_are_not_checked_are_in_every_report() {
    let listed = lines(&run(["refs", "--stale", "corpus/addons"]));
    let github = stdout(&run(["refs", "--stale", "--format", "github", "corpus/addons"]));
    let name = listed[0]["name"].as_str().unwrap();
    assert!(github.contains(&format!("title=refs.stale::texture {name} of the material")), "{github}");
    assert_eq!(github.lines().count(), listed.len() + 1);
    let document: Json =
        serde_json::from_str(&stdout(&run(["refs", "--stale", "--format", "sarif", "corpus/addons"]))).unwrap();
    assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), listed.len());
    let github = stdout(&run(["verify", "--format", "github", "corpus/hostile"]));
    assert!(github.lines().last().unwrap().contains("1 member not checked"), "{github}");
}

#[test]
fn what_cannot_be_read_is_in_every_report() {
    let output = run(["verify", "--format", "sarif", "corpus/none.b3d"]);
    let document: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let run_of = &document["runs"][0];
    assert_eq!((code(&output), &run_of["invocations"][0]["executionSuccessful"]), (2, &false.into()));
    assert_eq!(run_of["results"][0]["ruleId"], "unreadable");
    let output = run(["verify", "--format", "github", "corpus/none.b3d"]);
    assert!(stdout(&output).starts_with("::error file=corpus/none.b3d,title=unreadable::"), "{}", stdout(&output));
}

#[test]
fn allowed_warnings_are_counted_and_change_the_status() {
    let verify = |flags: &[&str]| run([&["verify", "--strict", "corpus/hostile/after_lods.p3d"], flags].concat());
    let output = verify(&[]);
    assert_eq!((code(&output), stdout(&output).lines().count()), (1, 1));
    for allowed in ["suspicious.trailing", "suspicious", "suspicious.weights,suspicious.trailing"] {
        let output = verify(&["--allow", allowed]);
        assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{allowed}");
        assert!(stderr(&output).contains("0 warnings, 1 allowed by --allow"), "{}", stderr(&output));
    }
    assert_eq!(code(&verify(&["--allow", "suspicious.weights"])), 1);
    for refused in ["damaged", "damaged.range", "limit", "odd"] {
        assert_eq!(code(&verify(&["--allow", refused])), 2, "{refused}");
    }
    // An error is listed whatever is allowed.
    let output = run(["verify", "corpus/hostile", "--allow", "suspicious"]);
    assert!(code(&output) == 1 && stdout(&output).contains(": error at"));
    assert!(!stdout(&output).contains("suspicious"));
}

#[test]
fn explain_knows_every_code() {
    let rows = lines(&run(["explain", "--format", "ndjson"]));
    let codes: Vec<&str> = rows.iter().map(|row| row["code"].as_str().unwrap()).collect();
    assert_eq!(codes, Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>());
    for code in codes {
        let text = stdout(&run(["explain", code]));
        assert!(text.starts_with(code) && text.contains("\n  to repair"), "{text}");
    }
    let output = run(["explain", "damaged.rang"]);
    assert!(code(&output) == 2 && stderr(&output).contains("'damaged.range'"), "{}", stderr(&output));
}

/// Returns the record of `verify` for these bytes.
fn record(name: &str, bytes: &[u8]) -> Record {
    let mut scan = Scan::new([""]);
    scan.depth = Depth::Verify;
    scan.record(Path::new(name), bytes)
}

fn is_damaged(record: &Record) -> bool {
    record.summary.problems.iter().any(|problem| problem.code.class() == Class::Damaged)
}

/// The bytes as a program writes them that takes them for UTF-8, for Latin-1, or for lines to end with CR LF.
fn as_text(bytes: &[u8]) -> [(Vec<u8>, usize); 3] {
    let lossy = String::from_utf8_lossy(bytes);
    let latin: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let lines = latin.replace('\n', "\r\n");
    let ends = lines.chars().map(|character| character as u8).collect();
    let wide = bytes.iter().filter(|&&byte| byte > 0x7f).count();
    [
        (lossy.as_bytes().to_vec(), lossy.matches('\u{fffd}').count() / 8),
        (latin.into_bytes(), wide / 32),
        (ends, bytes.iter().filter(|&&byte| byte == b'\n').count() / 8),
    ]
}

#[test]
fn binaries_saved_as_text_have_one_problem() {
    let mut recognized = [0; 3];
    for (name, bytes) in writer::corpus() {
        // The rule for replaced characters holds for all; archives may contain real text.
        let before = record(&name, &bytes);
        assert!(before.summary.problems.iter().all(|problem| problem.code != Code::SavedAsText), "{name}");
        let may_hold_texts =
            matches!(before.summary.format, None | Some(Format::Zip | Format::Pbo | Format::Bmx | Format::Rap));
        if may_hold_texts || bytes.len() > 1 << 15 || is_damaged(&before) {
            continue;
        }
        for (kind, (changed, enough)) in as_text(&bytes).into_iter().enumerate() {
            let after = record(&name, &changed);
            if enough == 0 || after.summary.format != before.summary.format || !is_damaged(&after) {
                continue;
            }
            let [problem] = after.summary.problems.as_slice() else { panic!("{name}: {:?}", after.summary.problems) };
            assert_eq!((problem.code, problem.severity), (Code::SavedAsText, Severity::Error), "{name}");
            assert_eq!(after.summary.bounds, None, "{name}");
            let first = changed.iter().zip(&bytes).position(|(changed, byte)| changed != byte);
            let offset = usize::try_from(problem.offset.unwrap()).unwrap();
            assert!(first.is_some_and(|first| offset <= first), "{name}: {offset} {first:?}");
            recognized[kind] += 1;
        }
    }
    assert!(recognized[0] > 20 && recognized[1] > 20 && recognized[2] > 0, "{recognized:?}");
}
