#!/usr/bin/env python3
"""Judges a history of calls and executions, one JSON object a line. Knows nothing of how it came about.

    judge_history.py FILE

Prints a line for each rule. Exit code 0 if all hold, 1 if one is broken, 2 if the file cannot be read.

Events: invoke, ok, fail (certainly not executed), info (unknown) of clients; exec, state, crash, join of replicas.
The events of one replica stand in the order in which they happened. A replica's life ends at its crash; in the next
one it may execute again what its log tells it.
"""

import json
import sys

SHOWN = 5


class Life:
    """What one replica executed between its start and its end."""

    def __init__(self, replica):
        self.replica = replica
        self.executions = []  # (position, id)
        self.joined_at = 0  # everything up to this position came with a snapshot
        self.crashed = False
        self.before = set()  # ids that the same process executed before it went on from a snapshot

    def positions(self):
        """position -> ids executed at it, in order."""
        by_position = {}
        for position, call in self.executions:
            by_position.setdefault(position, []).append(call)
        return by_position


class Call:
    def __init__(self, event):
        self.op = event.get("op", "")
        self.arg = event.get("arg")
        self.start = event.get("t")
        self.end = None
        self.outcome = None
        self.value = None


class History:
    def __init__(self, lines):
        self.calls = {}
        self.lives = {}
        self.values = {}  # id -> [(replica, value)]
        self.states = {}
        self.broken = {}
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    self._event(json.loads(line), number)
                except (ValueError, KeyError, TypeError) as error:
                    raise ValueError("line %d is no event: %r" % (number, error))

    def complain(self, rule, text):
        self.broken.setdefault(rule, []).append(text)

    def _event(self, event, number):
        kind = event["type"]
        if kind == "invoke":
            if event["id"] in self.calls:
                self.complain("calls", "line %d: %s is invoked twice" % (number, event["id"]))
            else:
                self.calls[event["id"]] = Call(event)
        elif kind in ("ok", "fail", "info"):
            call = self.calls.get(event["id"])
            if call is None or call.outcome is not None:
                self.complain("calls", "line %d: %s ends without having begun, or twice" % (number, event["id"]))
            else:
                call.outcome, call.end, call.value = kind, event.get("t"), event.get("value")
        elif kind == "exec":
            life = self._life(event["replica"])
            if event["id"] in life.before:
                self.complain("once", "%s executed %s before it went on from a snapshot, and again behind that"
                              % (event["replica"], event["id"]))
            life.executions.append((event["pos"], event["id"]))
            if "value" in event:
                self.values.setdefault(event["id"], []).append((event["replica"], event["value"]))
        elif kind == "crash":
            self._life(event["replica"]).crashed = True
        elif kind == "join":
            life = self._life(event["replica"])
            if not life.executions:
                life.joined_at = event.get("pos", 0)
            elif event.get("pos", 0) > 0:  # it went on from a snapshot: what follows counts as a life of its own
                life.crashed = True
                following = self._life(event["replica"])
                following.joined_at = event["pos"]
                following.before = life.before | {call for _, call in life.executions}
        elif kind == "state":
            self.states[event["replica"]] = event["final"]
        else:
            raise ValueError("unknown type %r" % kind)

    def _life(self, replica):
        lives = self.lives.setdefault(replica, [Life(replica)])
        if lives[-1].crashed:
            lives.append(Life(replica))
        return lives[-1]

    def all_lives(self):
        return [life for lives in self.lives.values() for life in lives]

    def last_lives(self):
        return [lives[-1] for lives in self.lives.values() if not lives[-1].crashed]


def once(history):
    """no replica executed an id twice in one life"""
    for life in history.all_lives():
        seen = {}
        last = 0
        for position, call in life.executions:
            if call in seen:
                history.complain("once", "%s executed %s at %s and again at %s"
                                 % (life.replica, call, seen[call], position))
            if position < last:
                history.complain("once", "%s executed position %s after %s" % (life.replica, position, last))
            seen[call] = position
            last = max(last, position)


def agreed_order(history):
    """all replicas executed the same ids at the same positions, in the same order"""
    agreed = {}
    lives = [(life, life.positions()) for life in history.all_lives()]
    # The longest list of a position is the whole of it: a crash may cut a life off in the middle of one.
    for life, positions in lives:
        for position, calls in positions.items():
            if len(calls) > len(agreed.get(position, [])):
                agreed[position] = calls
    where = {}
    for position, calls in agreed.items():
        for call in calls:
            if where.setdefault(call, position) != position:
                history.complain("order", "%s was executed at %s and at %s" % (call, where[call], position))
    for life, positions in lives:
        if not positions:
            continue
        first, last = min(positions), max(positions)
        for position, calls in agreed.items():
            if first <= position <= last:
                own = positions.get(position, [])
                cut = life.crashed and position == last
                if (own != calls[:len(own)] if cut else own != calls):
                    history.complain("order", "position %s: %s executed %s, others %s"
                                     % (position, life.replica, own[:SHOWN], calls[:SHOWN]))
    return [call for position in sorted(agreed) for call in agreed[position]], where


def everywhere(history, where):
    """every answered id was executed at all replicas that lived to the end"""
    for call_id, call in history.calls.items():
        if call.outcome == "ok" and call_id not in where:
            history.complain("everywhere", "%s was answered and executed nowhere" % call_id)
    for life in history.last_lives():
        done = set(call for _, call in life.executions)
        for call_id, position in where.items():
            call = history.calls.get(call_id)
            if call is not None and call.outcome == "ok" and position > life.joined_at and call_id not in done:
                history.complain("everywhere", "%s was answered, and %s did not execute it" % (call_id, life.replica))


def refused(history, where):
    """no id that its client was told did not run was executed"""
    for call_id, call in history.calls.items():
        if call.outcome == "fail" and call_id in where:
            history.complain("refused", "%s failed, and was executed at %s" % (call_id, where[call_id]))


def values(history):
    """clients got the values that replicas computed, and all replicas computed the same"""
    for call_id, seen in history.values.items():
        call = history.calls.get(call_id)
        expected = call.value if call is not None and call.outcome == "ok" else seen[0][1]
        for replica, value in seen:
            if value != expected:
                history.complain("values", "%s: %s computed %r instead of %r" % (call_id, replica, value, expected))


def time_order(history, order):
    """an id that ended before another began was executed before it"""
    latest, whose = None, None
    for call_id in order:
        call = history.calls.get(call_id)
        if call is None or call.start is None:
            continue
        if call.outcome == "ok" and call.end is not None and latest is not None and call.end < latest:
            history.complain("time", "%s ended before %s began, and was executed after it" % (call_id, whose))
        if latest is None or call.start > latest:
            latest, whose = call.start, call_id


class Bank:
    def __init__(self):
        self.accounts = {}

    def run(self, op, arg):
        if op == "deposit":
            account, amount = arg
            self.accounts[account] = self.accounts.get(account, 0) + amount
            return self.accounts[account]
        if op == "transfer":
            source, target, amount = arg
            self.accounts.setdefault(source, 0)
            self.accounts.setdefault(target, 0)
            if self.accounts[source] < amount:
                return False
            self.accounts[source] -= amount
            self.accounts[target] += amount
            return True
        if op == "balances":
            return [[account, self.accounts[account]] for account in sorted(self.accounts)]
        return None


def bank(history, order):
    """a bank that executes the ids one after the other gives the same answers, and ends with the same balances"""
    model = Bank()
    replayed = 0
    for call_id in order:
        call = history.calls.get(call_id)
        if call is None or call.arg is None:
            continue
        value = model.run(call.op, call.arg)
        replayed += 1
        if call.outcome == "ok" and value is not None and value != call.value:
            history.complain("bank", "%s %s%s was answered %r instead of %r"
                             % (call_id, call.op, call.arg, call.value, value))
    if replayed:
        for replica, state in history.states.items():
            if state != model.accounts:
                wrong = sorted(k for k in set(state) | set(model.accounts) if state.get(k) != model.accounts.get(k))
                history.complain("bank", "%s ends with other balances: %s" % (replica, wrong[:SHOWN]))
    return replayed


def bank_without_executions(history):
    """deposits to an account that one client uses alone grow its balance without gaps"""
    users = {}
    for call in history.calls.values():
        if call.op in ("deposit", "transfer") and call.arg:
            for account in call.arg[:-1]:
                users.setdefault(account, []).append(call)
    checked = 0
    for account, calls in users.items():
        calls.sort(key=lambda call: call.start or 0)
        apart = all(a.end is not None and b.start is not None and a.end <= b.start for a, b in zip(calls, calls[1:]))
        if not apart or any(call.outcome not in ("ok", "fail") for call in calls):
            continue
        balance = 0
        for call in calls:
            if call.outcome == "ok" and call.op == "deposit":
                balance += call.arg[1]
                checked += 1
                if call.value != balance:
                    history.complain("bank", "deposit%s was answered %r instead of %r" % (call.arg, call.value, balance))
            elif call.outcome == "ok" and call.value:
                balance += call.arg[2] if call.arg[1] == account else -call.arg[2]
    return checked


def states(history):
    """all replicas that lived to the end report the same final state"""
    seen = list(history.states.items())
    for replica, state in seen[1:]:
        if state != seen[0][1]:
            history.complain("states", "%s and %s end differently" % (seen[0][0], replica))


def judge(lines):
    """The verdict's lines, and whether all rules hold."""
    history = History(lines)
    once(history)
    order, where = agreed_order(history)
    everywhere_checked = bool(where)
    if everywhere_checked:
        everywhere(history, where)
        refused(history, where)
        time_order(history, order)
        replayed = bank(history, order)
    else:
        replayed = bank_without_executions(history)
    values(history)
    states(history)
    counts = {}
    for call in history.calls.values():
        counts[call.outcome or "open"] = counts.get(call.outcome or "open", 0) + 1
    report = ["calls %d (%s), executed ids %d, replicas %s" % (
        len(history.calls), ", ".join("%s %d" % item for item in sorted(counts.items())), len(where),
        " ".join(sorted(history.lives)) or "none")]
    rules = [("calls", "every call begins once and ends at most once"), ("once", once.__doc__),
             ("order", agreed_order.__doc__), ("everywhere", everywhere.__doc__), ("refused", refused.__doc__),
             ("values", values.__doc__), ("time", time_order.__doc__),
             ("bank", (bank if everywhere_checked else bank_without_executions).__doc__ + " (%d)" % replayed),
             ("states", states.__doc__)]
    for rule, text in rules:
        broken = history.broken.get(rule, [])
        skipped = not everywhere_checked and rule in ("once", "order", "everywhere", "refused", "time")
        report.append("%s  %s" % ("FAIL" if broken else "none" if skipped else "ok  ", text))
        report.extend("      " + line for line in broken[:SHOWN])
        if len(broken) > SHOWN:
            report.append("      and %d more" % (len(broken) - SHOWN))
    return report, not history.broken


def main(arguments):
    if len(arguments) != 1:
        print("usage: judge_history.py FILE", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as lines:
            report, good = judge(lines)
    except (OSError, ValueError) as error:
        print("judge_history.py: %s: %s" % (arguments[0], error), file=sys.stderr)
        return 2
    print("\n".join(report))
    print("PASSED" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
