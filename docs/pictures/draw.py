#!/usr/bin/env python3
"""Draws the pictures of this folder: python3 docs/pictures/draw.py. The standard library is enough.

cache.svg comes from cache.csv, samples of `./amo status` during one run; the page protocols/fts-sack.md says how it was made.
"""
import csv
import pathlib
from html import escape

FOLDER = pathlib.Path(__file__).parent

# Each picture brings its own ground, so that it can be read on a page of any colour.
STYLE = """
text { font-family: "DejaVu Sans", Verdana, Arial, sans-serif; font-size: 13px; fill: #1f2933; }
.title { font-size: 15px; font-weight: bold; }
.small { font-size: 12px; fill: #52606d; }
.bad { fill: #b42318; font-weight: bold; }
.good { fill: #1b6e3c; }
.blue { fill: #1d5fa8; }
.ground { fill: #ffffff; stroke: #cbd2d9; }
.outer { fill: #f5f7fa; stroke: #7b8794; }
.inner { fill: #ffffff; stroke: #7b8794; }
.ours { fill: #e3effb; stroke: #1d5fa8; }
.kept { fill: #e5f5ea; stroke: #1b6e3c; }
.line { fill: none; stroke: #52606d; stroke-width: 1.5; }
.life { fill: none; stroke: #9aa5b1; stroke-dasharray: 3 4; }
.again { fill: none; stroke: #1d5fa8; stroke-width: 1.5; stroke-dasharray: 6 4; }
.reply { fill: none; stroke: #1b6e3c; stroke-width: 1.5; }
.crash { fill: none; stroke: #b42318; stroke-width: 3; }
.grid { fill: none; stroke: #e4e7eb; }
.off { fill: none; stroke: #b42318; stroke-width: 2.5; }
.on { fill: none; stroke: #1b6e3c; stroke-width: 2.5; }
.tip { fill: #52606d; } .tip-again { fill: #1d5fa8; } .tip-reply { fill: #1b6e3c; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e7eb; } .small { fill: #b8c2cc; } .bad { fill: #ff9a8f; } .good { fill: #7fd8a0; } .blue { fill: #8cc4ff; }
  .ground { fill: #1b222b; stroke: #3e4c59; } .outer { fill: #242d38; stroke: #7b8794; } .inner { fill: #1b222b; stroke: #7b8794; }
  .ours { fill: #1d3450; stroke: #8cc4ff; } .kept { fill: #1a3a28; stroke: #7fd8a0; }
  .line { stroke: #b8c2cc; } .life { stroke: #616e7c; } .again { stroke: #8cc4ff; } .reply { stroke: #7fd8a0; }
  .crash, .off { stroke: #ff9a8f; } .on { stroke: #7fd8a0; } .grid { stroke: #323f4b; }
  .tip { fill: #b8c2cc; } .tip-again { fill: #8cc4ff; } .tip-reply { fill: #7fd8a0; }
}
"""


class Picture:
    def __init__(self, name, width, height, title, description):
        self.name, self.width, self.height = name, width, height
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{STYLE}</style>",
            "<defs>",
        ]
        for kind in ("tip", "tip-again", "tip-reply"):
            self.parts.append(
                f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
                f'<path class="{kind}" d="M0,0 L8,4 L0,8 z"/></marker>'
            )
        self.parts.append("</defs>")
        self.box(0.5, 0.5, width - 1, height - 1, "ground")

    def box(self, x, y, width, height, kind, *lines):
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        first = y + height / 2 + 4.5 - (len(lines) - 1) * 8.5
        for number, line in enumerate(lines):
            self.text(x + width / 2, first + 17 * number, line, "small" if number else "", "middle")

    def text(self, x, y, words, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>')

    def path(self, points, kind="line", tip=True):
        marker = {"line": "tip", "again": "tip-again", "reply": "tip-reply"}.get(kind)
        end = f' marker-end="url(#{marker})"' if tip and marker else ""
        line = "M" + " L".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="{line}"{end}/>')

    def write(self):
        (FOLDER / self.name).write_text("\n".join(self.parts + ["</svg>"]) + "\n")


def architecture():
    picture = Picture(
        "architecture.svg", 960, 420, "Architecture of a replicated CORBA service",
        "A client process with an interceptor sends requests to one of three members. Each member has a Group Object Adaptor, "
        "a replica with a decision table, an unmodified servant, a reply cache and a copy of the RAFT log.")
    picture.box(16, 58, 204, 326, "outer")
    picture.text(118, 82, "client process", "title", "middle")
    picture.box(34, 100, 168, 52, "inner", "application, stub", "unmodified")
    picture.path([(118, 152), (118, 190)])
    picture.box(34, 192, 168, 96, "ours", "client interceptor", "id, timestamp, deadline", "SACK: finished numbers", "retry with the same id")
    picture.text(118, 322, "one reply,", "small", "middle")
    picture.text(118, 338, "or one exception", "small", "middle")
    picture.text(118, 354, "at the deadline", "small", "middle")
    for index, member in enumerate("abc"):
        left = 270 + 230 * index
        picture.box(left, 58, 210, 326, "outer")
        picture.text(left + 105, 82, f"member {member}", "title", "middle")
        picture.box(left + 22, 96, 166, 34, "ours", "Group Object Adaptor")
        picture.box(left + 22, 156, 166, 52, "ours", "replica", "decision table")
        picture.box(left + 22, 240, 78, 50, "inner", "servant", "unmodified")
        picture.box(left + 110, 240, 78, 50, "kept", "reply", "cache")
        picture.box(left + 22, 322, 166, 44, "ours", "RAFT log", "one order")
        picture.path([(left + 61, 208), (left + 61, 238)])
        picture.path([(left + 149, 238), (left + 149, 210)], "reply")
        picture.path([(left + 100, 265), (left + 108, 265)], "reply")
        picture.path([(left + 188, 344), (left + 200, 344), (left + 200, 182), (left + 190, 182)])
        if index == 0:
            picture.path([(left + 105, 130), (left + 105, 154)])
            picture.path([(left + 22, 182), (left + 11, 182), (left + 11, 344), (left + 20, 344)])
    picture.path([(202, 222), (246, 222), (246, 113), (290, 113)])
    picture.path([(458, 356), (520, 356)])
    picture.path([(688, 356), (750, 356)])
    picture.path([(202, 240), (236, 240), (236, 30), (490, 30), (490, 113), (520, 113)], "again")
    picture.text(248, 24, "retry at another member, same id", "blue")
    picture.text(16, 404, "Every member executes every request in the order of the log and keeps the reply until the client has acknowledged it.", "small")
    picture.write()


def failover():
    picture = Picture(
        "failover.svg", 960, 600, "A request during the crash of a member",
        "The client sends request 7 to member a. All members execute it. Member a crashes before it answers. The client sends the "
        "same id to member b, which answers from its reply cache. The next request carries the acknowledgement of number 7.")
    lives = {"client": 130, "a": 400, "b": 640, "c": 850}
    for name, x in lives.items():
        picture.path([(x, 56), (x, 300 if name == "a" else 584)], "life", False)
        picture.box(x - 80, 20, 160, 36, "ours", "client interceptor" if name == "client" else f"member {name}")
    client, a, b, c = lives.values()

    def message(start, end, y, words, kind="line", style="", to=None):
        picture.path([(start, y), (end + (-4 if end > start else 4), y)], kind)
        picture.text((start + (to or end)) / 2, y - 7, words, style, "middle")

    message(client, a, 96, "request 7, first attempt")
    picture.path([(a, 132), (c - 4, 132)])
    picture.path([(a, 132), (b - 4, 132)])
    picture.text((a + b) / 2, 125, "log entry: request 7", "", "middle")
    picture.text((b + c) / 2, 125, "majority: committed", "small", "middle")
    for x in (a, b, c):
        picture.box(x - 74, 152, 148, 44, "kept", "execute request 7", "keep the reply")
    picture.path([(a - 16, 222), (a + 16, 254)], "crash")
    picture.path([(a + 16, 222), (a - 16, 254)], "crash")
    picture.text(a + 28, 243, "a crashes before its reply leaves", "bad")
    picture.text(client + 12, 268, "the connection breaks,", "small")
    picture.text(client + 12, 284, "or 3 s pass without an answer", "small")
    message(client, b, 326, "request 7, second attempt: same id", "again", "blue")
    picture.box(b - 74, 344, 148, 44, "kept", "id 7 is known:", "not executed again")
    message(b, client, 420, "cached reply", "reply", "good")
    message(client, b, 464, "request 8, with SACK: 7 is finished")
    message(b, c, 498, "log entry: request 8, SACK")
    for x in (b, c):
        picture.box(x - 92, 514, 184, 60, "kept", "drop the reply of 7", "still refuse id 7", "execute request 8")
    picture.text(client + 12, 548, "the application saw one reply", "small")
    picture.text(client + 12, 564, "to each of its calls", "small")
    picture.write()


def cache():
    runs = {"on": [], "off": []}
    with open(FOLDER / "cache.csv", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            runs[row["sack"]].append((float(row["seconds"]), int(row["entries"])))
    left, top, right, bottom = 80, 60, 930, 350
    longest = max(seconds for run in runs.values() for seconds, _ in run)
    most = max(entries for run in runs.values() for _, entries in run)
    step = next(size for size in (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000) if most / size <= 6)
    highest = step * (most // step + 1)
    picture = Picture(
        "cache.svg", 960, 420, "Entries of the reply cache over time",
        f"Without acknowledgements the cache grows to {most:,} entries in {longest:.0f} seconds; with them it stays at a few entries.")

    def point(seconds, entries):
        return left + (right - left) * seconds / longest, bottom - (bottom - top) * entries / highest

    picture.text(left - 60, 30, "Entries of the reply cache at one member: four clients that call without a pause, deadline 10 s", "title")
    for entries in range(0, highest + 1, step):
        y = point(0, entries)[1]
        picture.path([(left, y), (right, y)], "grid", False)
        picture.text(left - 8, y + 4, f"{entries:,}", "small", "end")
    for seconds in range(0, int(longest) + 1, 5):
        picture.text(point(seconds, 0)[0], bottom + 20, f"{seconds} s", "small", "middle")
    for name, kind in (("off", "off"), ("on", "on")):
        picture.path([point(*sample) for sample in runs[name]], kind, False)
    largest = max(entries for _, entries in runs["on"])
    x, y = point(longest * 0.62, max(entries for seconds, entries in runs["off"] if seconds > longest * 0.4))
    picture.text(x, max(y - 12, top + 4), "--sack off: a reply leaves after deadline and skew", "bad", "middle")
    picture.text(point(longest * 0.62, 0)[0], bottom - 12, f"--sack on: at most {largest} entries", "good", "middle")
    picture.text(left, bottom + 48, "Samples of ./amo status in one run for each line; samples are in cache.csv.", "small")
    picture.write()


architecture()
failover()
if (FOLDER / "cache.csv").exists():
    cache()
