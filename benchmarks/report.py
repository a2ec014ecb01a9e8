"""What `bench.py` found, as tables in Markdown and as one picture."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from cells import RIVALS, STEPS
from matplotlib.figure import Figure

Result = dict[str, Any]
FRAME = 1000 / 60  # ms
MOVES = 60  # pixels of a drag
LIBRARIES = ["jupyterlab", "ipykernel", "ipywidgets", "anywidget", "numpy"]
COLOURS = {"same machine": "#1f5a92", "150 ms away": "#d98a2b"}
NOT_INSTALLED = "could not be installed"


def percentiles(times: list[float]) -> dict[str, float]:
    """Return median and 95th percentile."""
    return {"median": float(np.median(times)), "p95": float(np.percentile(times, 95))}


def version(distribution: str) -> str | None:
    """Return the installed version, None where there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def describe_machine(chromium: str) -> dict[str, Any]:
    """Return cores, memory and versions; nothing that names the machine."""
    names = [*LIBRARIES, *(distribution for _, distribution, _ in RIVALS.values())]
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9),
        "load_at_start": round(psutil.getloadavg()[0], 1),
        "python": platform.python_version(),
        "chromium": chromium,
        "versions": {name: version(name) for name in names},
    }


def row(*cells: Any) -> str:
    """Return one line of a Markdown table."""
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def pair(times: dict[str, float], digits: int = 0) -> str:
    """Return "median / p95"."""
    return f"{times['median']:.{digits}f} / {times['p95']:.{digits}f}"


def about(machine: dict[str, Any]) -> str:
    """Return the sentence about machine and versions."""
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items() if v)
    return (
        f"{machine['system']}, {machine['cores']} cores, {machine['memory_gb']} GB,"
        f" load {machine['load_at_start']} at the start; Python {machine['python']},"
        f" Chromium {machine['chromium']}, {versions}."
    )


def comparison(kernels: dict[str, dict[str, Result]]) -> list[str]:
    """Return the table of the four drawings."""
    heads = ["drawn by", "kernel", "to changed output, ms", "to the paint, ms", "times"]
    heads += ["states seen in a drag", "lag at its end, ms", "CPU s a second of drag"]
    lines = [row(*heads), row(*["---"] * len(heads))]
    for name, (title, distribution, _) in RIVALS.items():
        shown = f"{title} {version(distribution) or ''}".strip()
        for kernel, results in kernels.items():
            if name not in results:
                lines.append(row(shown, kernel, NOT_INSTALLED, *["-"] * 5))
                continue
            result, ours = results[name], results["ours"]
            ratio = result["to_paint_ms"]["median"] / ours["to_paint_ms"]["median"]
            cells = [pair(result["to_change_ms"], 1), pair(result["to_paint_ms"])]
            cells += [
                f"{ratio:.1f}",
                f"{result['states']:.0f} of {MOVES}",
            ]
            cells += [f"{result['lag_ms']:.0f}", f"{result['cpu']:.2f}"]
            lines.append(row(shown, kernel, *cells))
    return lines


def learning(kernels: dict[str, dict[str, Result]]) -> list[str]:
    """Return the table of the four drawings while they learn."""
    lines = [row("drawn by", *kernels), row(*["---"] * (1 + len(kernels)))]
    for name, (title, *_) in RIVALS.items():
        lines.append(
            row(title, *(learned(results.get(name)) for results in kernels.values()))
        )
    return lines


def learned(result: Result | None) -> str:
    """Return steps and frames a second."""
    if result is None:
        return NOT_INSTALLED
    return f"{result['steps']:.0f} steps, {result['frames']:.0f} frames"


def growth(sizes: list[Result]) -> list[str]:
    """Return the table of ours at every size."""
    heads = [
        "tokens",
        "d",
        "handler and layout, ms",
        "first draw, ms",
        "JS and DOM heap, MB",
    ]
    lines = [row(*heads), row(*["---:"] * len(heads))]
    for size in sizes:
        times = [pair(size[name], 1) for name in ("change_ms", "first_draw_ms")]
        lines.append(row(size["tokens"], size["d"], *times, f"{size['heap_mb']:.1f}"))
    return lines


def tables(results: dict[str, Any]) -> str:
    """Return everything as Markdown."""
    lines = [
        "Six words, one number moved by key presses and by 60-pixel drags.",
        "Times are median / p95 from the input event; *times* is the median to the",
        "paint divided by that of ours.",
        "",
        *comparison(results["kernels"]),
        "",
        f"Learning, {STEPS} steps: steps and frames seen in a second.",
        "",
        *learning(results["learning"]),
        "",
        "Ours as it grows, every stage shown (median / p95; a frame is 16.7 ms).",
        "",
        *growth(results["growth"]),
        "",
        about(results["machine"]),
    ]
    return "\n".join(lines)


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw time to the paint and states seen, as bars, into a PNG."""
    figure = Figure(figsize=(10, 3.6), dpi=100, layout="constrained")
    times, states = figure.subplots(1, 2, sharey=True)
    names = [name for name in RIVALS if name in results["kernels"]["same machine"]]
    for k, (kernel, of) in enumerate(results["kernels"].items()):
        at = np.arange(len(names)) + 0.4 * k - 0.2
        style = {"height": 0.36, "color": COLOURS[kernel], "label": f"kernel {kernel}"}
        median = [of[name]["to_paint_ms"]["median"] for name in names]
        seen = [of[name]["states"] for name in names]
        for axes, values in ((times, median), (states, seen)):
            bars = axes.barh(at, values, **style)
            axes.bar_label(bars, fmt="%.0f", padding=3)
    times.axvline(FRAME, color="gray", linestyle=":", linewidth=1)
    times.set_title("key press to paint, ms (dotted: a frame)", loc="left")
    states.set_title("states seen in a drag of 60 pixels", loc="left")
    times.set_yticks(range(len(names)), [RIVALS[name][0] for name in names])
    times.invert_yaxis()
    times.margins(x=0.12)
    states.set_xlim(0, 68)
    states.legend(frameon=False, loc="lower right")
    for axes in (times, states):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Software": None})
