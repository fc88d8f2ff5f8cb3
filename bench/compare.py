#!/usr/bin/env python3
"""Reads what posemill-bench --json wrote.

  compare.py compare OLD.json NEW.json [--absolute] [--filter REGEX]
      How much longer or shorter each workload takes, with a range that holds the true change in 95 of 100 cases.
      Times are taken relative to the bound of the same run, because machines and their load differ; --absolute
      compares nanoseconds. Exits with 1 if a workload is slower, the whole range beyond 2 %.
  compare.py plot RUN.json FOLDER
      Draws how the time a joint grows with instances, joints, clips and keys: FOLDER/growth-*.svg, by gnuplot.
"""
import argparse
import json
import math
import re
import statistics
import subprocess
import sys

CONFIDENCE = 0.95
SLOWER_THAN = 1.02


class Run:
    """Repetitions by kind of row (naive, sample, bound, bytes) and workload: nanoseconds a joint, and the counters."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        self.context = content["context"]
        self.times, self.counters = {}, {}
        for row in content["benchmarks"]:
            if row["run_type"] != "iteration":
                continue
            kind, workload = row["run_name"].split("/", 1)
            workload = workload.removesuffix("/real_time")
            self.times.setdefault((kind, workload), []).append(row["ns_per_joint"])
            self.counters[workload] = row

    def workloads(self):
        return [workload for kind, workload in self.times if kind == "sample"]

    def median(self, kind, workload):
        return statistics.median(self.times[kind, workload])

    def samples(self, workload, absolute):
        """The sample row's repetitions, each over a repetition of the bound."""
        sample = self.times["sample", workload]
        return sample if absolute else [a / b for a, b in zip(sample, self.times["bound", workload])]


def mann_whitney_counts(m, n):
    """In how many arrangements of m and n values U is 0, 1, ..., m * n (Mann and Whitney, 1947).

    >>> mann_whitney_counts(2, 2)
    [1, 1, 2, 1, 1]
    >>> mann_whitney_counts(3, 4)  # their table for n = 4, m = 3, times 35
    [1, 1, 2, 3, 4, 4, 5, 4, 4, 3, 2, 1, 1]
    """
    counts = [[[1]] * (n + 1)]
    for i in range(1, m + 1):
        row = [[1]]
        for j in range(1, n + 1):
            total = [0] * (i * j + 1)
            for u, count in enumerate(row[j - 1]):
                total[u] += count
            for u, count in enumerate(counts[i - 1][j]):
                total[u + j] += count
            row.append(total)
        counts.append(row)
    return counts[m][n]


def ratio_range(old, new):
    """The median of all ratios new / old and, free of assumptions about their distribution, its confidence range
    (Hodges and Lehmann, 1963), or None for the range if there are too few repetitions for one.

    >>> ratio_range([1, 1], [2, 2])
    (2.0, None)
    >>> ratio_range([1, 2, 4, 8], [2, 4, 8, 16])  # U = 0 has probability 1/70: the outermost ratios are the range
    (2.0, (0.25, 16.0))
    >>> ratio_range([1.0, 1.01, 1.02, 1.03, 1.04], [2.0, 2.02, 2.04, 2.06, 2.08])[1][0] > 1.9
    True
    """
    ratios = sorted(b / a for a in old for b in new)
    counts = mann_whitney_counts(len(old), len(new))
    tail, below, limit = 0, 0, (1 - CONFIDENCE) / 2 * sum(counts)
    while tail + counts[below] <= limit:
        tail += counts[below]
        below += 1
    middle = statistics.median(ratios)
    return (middle, None) if below == 0 else (middle, (ratios[below - 1], ratios[-below]))


def percent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def compare(arguments):
    old, new = Run(arguments.old), Run(arguments.new)
    unit = "ns a joint" if arguments.absolute else "x bound"
    print(f"{'workload':44} {'old':>8} {'new':>8} {'change':>9}   {'range':20} ({unit})")
    slower = faster = 0
    logarithms = []
    for workload in new.workloads():
        if ("sample", workload) not in old.times or not re.search(arguments.filter, workload):
            continue
        before, after = old.samples(workload, arguments.absolute), new.samples(workload, arguments.absolute)
        middle, limits = ratio_range(before, after)
        logarithms.append(math.log(middle))
        verdict = ""
        if limits and limits[0] > SLOWER_THAN:
            verdict, slower = "slower", slower + 1
        if limits and limits[1] < 1 / SLOWER_THAN:
            verdict, faster = "faster", faster + 1
        text = f"{percent(limits[0])} to {percent(limits[1])}" if limits else "too few repetitions"
        print(f"{workload:44} {statistics.median(before):8.3f} {statistics.median(after):8.3f} "
              f"{percent(middle):>9}   {text:20} {verdict}".rstrip())
    if not logarithms:
        sys.exit("compare.py: the two runs have no workload in common")
    print(f"\n{len(logarithms)} workloads: {slower} slower, {faster} faster; "
          f"{percent(math.exp(statistics.fmean(logarithms)))} in the geometric mean")
    return 1 if slower else 0


JOINT_TOTAL = 640_000

# What grows: the counter on the x axis, the workloads, the axis' title, and what fills the caches meanwhile.
GROWTHS = {
    "instances": ("instances", r"baked-cubic/j64/c1/n\d+/forward", "characters", ("output", "poses")),
    "joints": ("joints", r"baked-cubic/j\d+/c1/n\d+/forward", "joints a character, 640,000 in all", ("key", "keys")),
    "clips": ("clips", r"baked-cubic/j64/c\d+/n10000/forward", "clips, 60 keys each, 10,000 characters", ("key", "keys")),
    "keys": ("keys", r"baked-cubic/j64/c1/n10000/forward(/k\d+)?", "keys a channel, 10,000 characters", ("key", "keys")),
}


def joint_count(row):
    return row["joints"] * row["instances"]


def cache_sizes(run):
    return {cache["level"]: cache["size"] for cache in run.context["caches"] if cache["type"] != "Instruction"}


def cache_marks(run, rows, counter, filling):
    """Where along x the bytes fill a cache, by proportion to the last row."""
    bytes_name, what = filling
    last = rows[-1][1]
    total = last[f"{bytes_name}_bytes_per_joint"] * joint_count(last)
    marks = []
    for level, size in sorted(cache_sizes(run).items()):
        x = last[counter] * size / total
        if level > 1 and rows[0][1][counter] < x < last[counter]:
            marks.append((x, f"{what} fill L{level}"))
    return marks


def spaced(values):
    """Those of the rising values that have room for a label on a logarithmic axis."""
    kept = values[:1]
    for value in values[1:]:
        if value / kept[-1] > (values[-1] / values[0]) ** 0.1:
            kept.append(value)
    return kept


def plot_script(run, name, path):
    counter, pattern, title, filling = GROWTHS[name]
    rows = [(w, run.counters[w]) for w in run.workloads() if re.fullmatch(pattern, w)]
    if counter == "joints":
        rows = [row for row in rows if joint_count(row[1]) == JOINT_TOTAL]
    rows.sort(key=lambda row: row[1][counter])
    if len(rows) < 2:
        return None
    left, right = rows[0][1][counter] / 1.25, rows[-1][1][counter] * 1.25
    lines = ["$rows << END"]
    for workload, row in rows:
        times = [run.median(kind, workload) for kind in ("naive", "sample", "bound", "bytes")]
        lines.append(" ".join(f"{value:.6g}" for value in [row[counter], *times]))
    ticks = ", ".join(f'"{x:,.0f}" {x:g}' for x in spaced([row[counter] for _, row in rows]))
    lines += [
        "END",
        'set terminal svg size 720,440 font "DejaVu Sans,13" background "#ffffff" linewidth 1.2',
        f'set output "{path}"',
        f'set xlabel "{title}"',
        'set ylabel "nanoseconds a joint"',
        "set logscale xy",
        f"set xrange [{left:g}:{right:g}]",
        "set tics out",
        "set yrange [0.2:200]",
        f"set xtics ({ticks}) nomirror",
        "set ytics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200) nomirror",
        'set border 3 linecolor "#606060"',
        'set grid ytics linecolor "#e4e4e4" linetype 1 linewidth 0.7',
        "set key top center horizontal samplen 1.5 width -2 maxcols 4",
    ]
    for x, text in cache_marks(run, rows, counter, filling):
        side = "left offset 0.6,0" if x < left * (right / left) ** 0.8 else "right offset -0.6,0"
        lines.append(f'set arrow from {x:g},0.2 to {x:g},100 nohead dashtype 3 linecolor "#909090"')
        lines.append(f'set label "{text}" at {x:g},0.24 {side} font ",11" textcolor "#707070"')
    curves = [(2, "naive", "#b0b0b0", 1, 4), (3, "Posemill", "#0060b0", 1, 7), (5, "bytes", "#e08000", 2, 0),
              (4, "bound", "#303030", 1, 0)]
    plots = []
    for column, label, color, dash, point in curves:
        style = f"linespoints pointtype {point} pointsize 0.6" if point else "lines"
        plots.append(f'$rows using 1:{column} with {style} linecolor "{color}" dashtype {dash} linewidth 1.6 title "{label}"')
    lines.append("plot " + ", \\\n  ".join(plots))
    return "\n".join(lines) + "\n"


def plot(arguments):
    run = Run(arguments.run)
    for name in GROWTHS:
        path = f"{arguments.folder}/growth-{name}.svg"
        script = plot_script(run, name, path)
        if script is None:
            print(f"{path}: skipped, the run has too few of its workloads")
            continue
        subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)
        print(path)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    comparison = commands.add_parser("compare")
    comparison.add_argument("old")
    comparison.add_argument("new")
    comparison.add_argument("--absolute", action="store_true")
    comparison.add_argument("--filter", default="")
    comparison.set_defaults(run_command=compare)
    drawing = commands.add_parser("plot")
    drawing.add_argument("run")
    drawing.add_argument("folder")
    drawing.set_defaults(run_command=plot)
    arguments = parser.parse_args()
    return arguments.run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
