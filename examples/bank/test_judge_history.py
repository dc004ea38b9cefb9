"""python3 -m unittest test_judge_history: good histories pass, and each kind of bad one is found."""

import json
import unittest

from judge_history import judge

GOOD = [
    {"type": "invoke", "client": "c1", "id": "x-1", "op": "deposit", "key": "bank", "arg": ["p", 5], "t": 1},
    {"type": "exec", "replica": "a", "id": "x-1", "pos": 1, "value": 5},
    {"type": "ok", "client": "c1", "id": "x-1", "value": 5, "t": 3},
    {"type": "exec", "replica": "b", "id": "x-1", "pos": 1, "value": 5},
    {"type": "invoke", "client": "c2", "id": "y-1", "op": "deposit", "key": "bank", "arg": ["q", 7], "t": 4},
    {"type": "invoke", "client": "c1", "id": "x-2", "op": "transfer", "key": "bank", "arg": ["p", "r", 2], "t": 5},
    {"type": "exec", "replica": "b", "id": "y-1", "pos": 2},
    {"type": "exec", "replica": "b", "id": "x-2", "pos": 2},
    {"type": "exec", "replica": "a", "id": "y-1", "pos": 2},
    {"type": "crash", "replica": "a"},
    {"type": "ok", "client": "c1", "id": "x-2", "value": True, "t": 7},
    {"type": "info", "client": "c2", "id": "y-1", "reason": "TIMEOUT", "t": 8},
    {"type": "exec", "replica": "a", "id": "x-1", "pos": 1},
    {"type": "exec", "replica": "a", "id": "y-1", "pos": 2},
    {"type": "exec", "replica": "a", "id": "x-2", "pos": 2},
    {"type": "invoke", "client": "c1", "id": "x-3", "op": "balances", "key": "bank", "arg": [], "t": 9},
    {"type": "exec", "replica": "a", "id": "x-3", "pos": 4},
    {"type": "exec", "replica": "b", "id": "x-3", "pos": 4},
    {"type": "ok", "client": "c1", "id": "x-3", "value": [["p", 3], ["q", 7], ["r", 2]], "t": 11},
    {"type": "invoke", "client": "c1", "id": "x-4", "op": "deposit", "key": "bank", "arg": ["p", 1], "t": 12},
    {"type": "fail", "client": "c1", "id": "x-4", "reason": "EXPIRED", "t": 13},
    {"type": "state", "replica": "a", "final": {"p": 3, "q": 7, "r": 2}},
    {"type": "state", "replica": "b", "final": {"p": 3, "q": 7, "r": 2}},
]


def verdict(events):
    return judge([json.dumps(event) for event in events])


class JudgeTest(unittest.TestCase):

    def assert_broken(self, events, rule_words):
        report, good = verdict(events)
        self.assertFalse(good, report)
        self.assertTrue(any(line.startswith("FAIL") and rule_words in line for line in report), report)

    def test_a_good_history_passes(self):
        report, good = verdict(GOOD)
        self.assertTrue(good, report)

    def test_a_second_execution_in_one_life_is_found(self):
        self.assert_broken(GOOD[:4] + [{"type": "exec", "replica": "b", "id": "x-1", "pos": 2}] + GOOD[4:], "twice")

    def test_a_replica_that_swaps_two_executions_is_found(self):
        events = list(GOOD)
        events[6], events[7] = events[7], events[6]
        self.assert_broken(events, "same order")

    def test_a_replica_that_leaves_one_out_is_found(self):
        self.assert_broken(GOOD[:14] + GOOD[15:], "all replicas that lived")

    def test_an_answered_call_that_ran_nowhere_is_found(self):
        events = [event for event in GOOD if not (event["type"] == "exec" and event["id"] == "x-3")]
        self.assert_broken(events, "all replicas that lived")

    def test_an_execution_of_a_failed_call_is_found(self):
        events = GOOD[:-2] + [{"type": "exec", "replica": r, "id": "x-4", "pos": 5} for r in "ab"] + GOOD[-2:]
        self.assert_broken(events, "told did not run")

    def test_a_wrong_answer_is_found(self):
        events = [dict(event) for event in GOOD]
        events[18]["value"] = [["p", 8], ["q", 7], ["r", 2]]
        self.assert_broken(events, "same answers")

    def test_unequal_values_of_replicas_are_found(self):
        events = [dict(event) for event in GOOD]
        events[3]["value"] = 6
        self.assert_broken(events, "all replicas computed the same")

    def test_an_execution_against_time_is_found(self):
        events = [
            {"type": "invoke", "id": "x-1", "op": "deposit", "arg": ["p", 5], "t": 1},
            {"type": "ok", "id": "x-1", "value": 5, "t": 2},
            {"type": "invoke", "id": "y-1", "op": "deposit", "arg": ["q", 5], "t": 3},
            {"type": "ok", "id": "y-1", "value": 5, "t": 4},
            {"type": "exec", "replica": "a", "id": "y-1", "pos": 1},
            {"type": "exec", "replica": "a", "id": "x-1", "pos": 2},
        ]
        self.assert_broken(events, "ended before another began")

    def test_unequal_final_states_are_found(self):
        events = GOOD[:-1] + [{"type": "state", "replica": "b", "final": {"p": 4, "q": 7, "r": 2}}]
        self.assert_broken(events, "same final state")

    def test_a_call_that_ends_twice_is_found(self):
        self.assert_broken(GOOD + [{"type": "ok", "id": "x-1", "value": 5, "t": 14}], "ends at most once")

    def test_without_executions_the_balances_of_a_lonely_account_are_checked(self):
        def client_only(third):
            return [
                {"type": "invoke", "id": "x-1", "op": "deposit", "arg": ["p", 5], "t": 1},
                {"type": "ok", "id": "x-1", "value": 5, "t": 2},
                {"type": "invoke", "id": "x-2", "op": "transfer", "arg": ["p", "r", 2], "t": 3},
                {"type": "ok", "id": "x-2", "value": True, "t": 4},
                {"type": "invoke", "id": "x-3", "op": "deposit", "arg": ["p", 1], "t": 5},
                {"type": "ok", "id": "x-3", "value": third, "t": 6},
            ]
        self.assertTrue(verdict(client_only(4))[1])
        self.assert_broken(client_only(5), "without gaps")

    def test_what_a_joiner_got_with_its_snapshot_need_not_be_executed_by_it(self):
        events = [event for event in GOOD if not (event.get("replica") == "b" and event["type"] in ("exec", "state"))]
        events[1:1] = [{"type": "join", "replica": "b", "pos": 4}]
        report, good = verdict(events)
        self.assertTrue(good, report)


if __name__ == "__main__":
    unittest.main()
