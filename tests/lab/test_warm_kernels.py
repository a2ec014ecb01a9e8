"""The tests' kernels are copies of a warm one; they do as any kernel does."""

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from drive import wait_until
from jupyter_client import KernelManager
from lab import execute_request, value_of
from warm_kernels import NEST

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(sys.platform != "linux", reason="no kernel is warm here"),
]


class Kernel:
    def __init__(self, **options: Any) -> None:
        self.manager = KernelManager()
        self.manager.start_kernel(**options)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready()
        self.started = psutil.Process(self.manager.provisioner.pid)
        self.process = psutil.Process(self.python("__import__('os').getpid()"))

    def send(self, code: str) -> None:
        message = self.client.session.msg("execute_request", execute_request(code))
        self.client.shell_channel.send(message)

    def answer(self) -> Any:
        return value_of(self.client.get_shell_msg(timeout=30)["content"])

    def python(self, code: str) -> Any:
        self.send(code)
        return self.answer()

    def close(self) -> None:
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel()


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_it_begins_where_it_is_asked_for_and_draws_its_own_numbers(
    tmp_path: Path,
) -> None:
    (tmp_path / "own_module.py").write_text("value = 7")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "ONLY_HERE": "1"}
    ask = """import os, sys, own_module
[os.getcwd(), own_module.value, dict(os.environ), "attention_helpers" in sys.modules,
    __import__("numpy").random.rand()]"""
    with (
        closing(Kernel(cwd=tmp_path, env=environment)) as one,
        closing(Kernel()) as two,
    ):
        assert one.process != one.started, "it is not warm"
        folder, value, found, loaded, drawn = one.python(ask)
        assert (folder, value, loaded) == (str(tmp_path), 7, False)
        assert found["ONLY_HERE"] == "1"
        assert two.python("__import__('os').environ.get('ONLY_HERE')") is None
        assert two.python("__import__('numpy').random.rand()") != drawn
        shown = one.python("__import__('matplotlib').get_backend()")
        assert "inline" in shown
        one.python("from ipywidgets import IntSlider")
        targets = "list(get_ipython().kernel.comm_manager.targets)"
        assert "jupyter.widget.control" in one.python(targets)


def test_it_is_interrupted_and_shut_down(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with closing(Kernel()) as kernel:
        kernel.send(f"open({str(begun)!r}, 'w')\nwhile True: pass")
        wait_until(begun.exists)
        kernel.manager.interrupt_kernel()
        with pytest.raises(RuntimeError, match="KeyboardInterrupt"):
            kernel.answer()
        assert kernel.python("1 + 1") == 2
        kernel.manager.shutdown_kernel()
        wait_until(lambda: is_gone(kernel.process) and is_gone(kernel.started))


@pytest.mark.parametrize("killed", ["process", "started"])
def test_of_the_two_processes_none_outlives_the_other(killed: str) -> None:
    with closing(Kernel()) as kernel:
        getattr(kernel, killed).kill()
        wait_until(lambda: is_gone(kernel.process) and is_gone(kernel.started))
        assert not kernel.manager.is_alive()


def test_without_a_nest_it_is_an_ordinary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nest = os.environ[NEST]
    spec = Path(nest, "kernels/python3/kernel.json").read_text()
    own = tmp_path / "kernels" / "python3" / "kernel.json"
    own.parent.mkdir(parents=True)
    own.write_text(spec.replace(nest, str(tmp_path)))  # where there is no door
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    with closing(Kernel()) as kernel:
        assert kernel.process == kernel.started
