"""The lists of what is needed say the same, in every file that has one."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from places import ROOT

CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # without the Qt stack


def parsed(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def conda_packages(path: str) -> dict[str, str]:
    """Return {name: version} of an environment file, as in {"numpy": "=2.*"}."""
    names = [entry for entry in parsed(path)["dependencies"] if isinstance(entry, str)]
    return dict(re.fullmatch(r"([\w-]+)(.*)", name).groups() for name in names)


def admitted(version: str) -> list[str]:
    """Return versions that a conda file admits, the newest or also the oldest."""
    if version.startswith(">="):
        return [version[2:], "999"]
    return [version[1:].replace("*", "999") or "999"]


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]


def needed() -> list[Requirement]:
    project = pyproject()
    wanted = project["dependencies"] + project["optional-dependencies"]["lab"]
    return [Requirement(text) for text in wanted]


def test_binder_has_the_root_file_without_the_helpers() -> None:
    root, binder = parsed("environment.yml"), parsed("binder/environment.yml")
    assert root["dependencies"][-1] == {"pip": ["-e ."]}
    assert root["dependencies"][:-1] == binder["dependencies"]
    assert root["channels"] == binder["channels"] == ["conda-forge"]


@pytest.mark.parametrize("path", ["environment.yml", "binder/environment.yml"])
def test_python_is_written_as_binder_understands_it(path: str) -> None:
    entries = parsed(path)["dependencies"]
    python = [e for e in entries if isinstance(e, str) and e.startswith("python")]
    assert python == ["python=3.12"], "with >= or ~= Binder silently takes 3.10"
    assert Requirement("python" + pyproject()["requires-python"]).specifier.contains(
        "3.12"
    )
    assert not (ROOT / path).is_symlink(), "a Windows clone turns it into a text file"


@pytest.mark.parametrize("path", ["environment.yml", "binder/environment.yml"])
@pytest.mark.parametrize("requirement", needed(), ids=lambda needed: needed.name)
def test_the_environments_hold_what_pyproject_needs(
    path: str, requirement: Requirement
) -> None:
    packages = conda_packages(path)
    name = CONDA_NAMES.get(requirement.name, requirement.name)
    assert name in packages, f"{path} lacks {name}, which pyproject.toml needs"
    for version in admitted(packages[name]):
        assert requirement.specifier.contains(version), (
            f"{path} has {name}{packages[name]}, pyproject.toml {requirement}"
        )


@pytest.mark.skipif(sys.platform == "win32", reason="Binder runs it on Linux")
def test_post_build_installs_the_helpers_and_the_lab_settings(tmp_path: Path) -> None:
    """Run it with a `python` that only notes what it is asked to do."""
    notes = tmp_path / "notes"
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(
        "#!/bin/bash\n"
        f'if [ "$1" = -c ]; then echo {tmp_path}; else echo "$@" >> {notes}; fi\n'
    )
    python.chmod(0o755)
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    script = "binder/postBuild"
    subprocess.run(
        ["bash", script], cwd=ROOT, env=os.environ | {"PATH": path}, check=True
    )
    assert notes.read_text().split() == ["-m", "pip", "install", "--no-deps", "."]
    name = "labconfig/default_setting_overrides.json"
    copied = (tmp_path / "etc" / "jupyter" / name).read_text()
    assert copied == (ROOT / "binder" / name).read_text()


def test_post_build_stops_where_a_step_fails() -> None:
    lines = (ROOT / "binder" / "postBuild").read_text().splitlines()
    assert lines[:2] == ["#!/bin/bash", "set -e"]


def test_the_lab_settings_are_these() -> None:
    path = ROOT / "binder" / "labconfig" / "default_setting_overrides.json"
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
        "@jupyterlab/apputils-extension:kernels-settings": {
            "commsOverSubshells": "disabled"
        },
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
    }


def test_the_workflow_tries_what_pyproject_admits() -> None:
    jobs = parsed(".github/workflows/test.yml")["jobs"]
    pythons = jobs["test"]["strategy"]["matrix"]["python"]
    assert f">={pythons[0]}" == pyproject()["requires-python"]
    steps = json.dumps(jobs["lowest-numpy"]["steps"])
    numpy = next(need for need in needed() if need.name == "numpy")
    lowest = re.search(r"numpy==([\d.]+)\.\*", steps)
    assert lowest, "the job lowest-numpy pins no NumPy"
    assert str(numpy.specifier) == f">={lowest[1]}"


def test_the_workflow_audits_what_is_installed() -> None:
    workflow = parsed(".github/workflows/test.yml")
    *_, install, audit = [
        step["run"] for step in workflow["jobs"]["audit"]["steps"][2:]
    ]
    extras = pyproject()["optional-dependencies"]
    assert "attention-helpers[site]" in extras["test"]  # which contains `lab`
    assert "[test]" in install
    assert audit.split()[0] == "pip-audit"
    assert workflow[True]["schedule"], "what becomes known later is not noticed"


def test_the_commands_refuse_the_pythons_that_pyproject_refuses() -> None:
    source = (ROOT / "tools" / "environment.py").read_text(encoding="utf-8")
    major, minor = pyproject()["requires-python"].removeprefix(">=").split(".")
    assert f"sys.version_info < ({major}, {minor})" in source
    assert sys.version_info >= (int(major), int(minor))
