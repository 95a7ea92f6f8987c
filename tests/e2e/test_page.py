"""The page of a report in a real browser: built from its sources, typed, and tried in Chromium (src/report/page/test/)."""
import os
import re
import shutil

import story

PAGE = os.path.join(story.ROOT, "src", "report", "page")


def packages():
    """The packages of the lock file, installed where they are not yet."""
    assert shutil.which("npm"), "npm is not installed: scripts/install-deps.sh installs it"
    lock, done = (os.path.join(PAGE, name) for name in ("package-lock.json", "node_modules/.package-lock.json"))
    if not os.path.exists(done) or os.path.getmtime(done) < os.path.getmtime(lock):
        npm("ci", "--no-audit", "--no-fund", "--ignore-scripts")


def npm(*words):
    result = story.run("npm", *words, cwd=PAGE, timeout=600)
    assert result.returncode == 0, f"npm {' '.join(words)}:\n{result.stdout[-6000:]}\n{result.stderr[-2000:]}"
    return result.stdout


def test_the_types_hold():
    packages()
    npm("run", "typecheck")


def test_the_page_in_the_browser():
    packages()
    told = npm("test")
    assert re.search(r"^# fail 0$", told, re.M) and int(re.search(r"^# pass (\d+)$", told, re.M)[1]) > 40, told[-4000:]
    for line in re.findall(r"^# (.*frames/s.*|opened in.*)$", told, re.M):
        print(f"        {line}")


story.main()
