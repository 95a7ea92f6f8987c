"""The ten problem types, and the expert's example, on their planted programs under both MPIs."""
import os

import story

IDS = ("late-sender late-receiver early-reduce late-broadcast wait-at-nxn wait-at-barrier "
       "wait-at-window-create lock-contention late-post early-wait").split()


def test_the_ten_problem_types_are_there_in_order():
    result = story.whyslow("kb", "list", "--json")
    assert result.returncode == 0, result.stderr
    places = [result.stdout.index(f'"{name}"') for name in IDS]
    assert places == sorted(places), result.stdout


def test_planted_programs():
    result = story.whyslow("kb", "test", timeout=800)
    print(result.stdout)
    assert result.returncode == 0, result.stdout + result.stderr
    for name in IDS:
        assert name in result.stdout


def test_a_problem_type_taught_by_one_folder():
    folder = os.path.join(story.ROOT, "examples", "kb", "many-small-sends")
    check = story.whyslow("kb", "check", folder)
    assert check.returncode == 0, check.stdout + check.stderr
    result = story.whyslow("kb", "test", "--kb", folder, "many-small-sends")
    print(result.stdout)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_language_reference_shows_that_very_folder():
    with open(os.path.join(story.ROOT, "docs", "language.md"), encoding="utf-8") as file:
        text = file.read()
    for name in ("many-small-sends.rules", "positive.c", "negative.c"):
        with open(os.path.join(story.ROOT, "examples", "kb", "many-small-sends", name), encoding="utf-8") as file:
            shown = file.read()
        assert shown.strip() in text, f"docs/language.md shows another {name} than the example has"


story.main()
