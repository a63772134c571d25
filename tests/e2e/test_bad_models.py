"""Dependence models that make no sense: each a clear error that says where and what to do, from kith transfer and from a policy."""
import json
import unittest

from kith_case import ILL, POLICY, KithCase

# name: (JSON form, words that the error must have)
BAD = {
    "a table that does not sum to 1": ({"kind": "joint", "values": [2, 2], "law": [0.4, 0.1, 0.1, 0.3]}, ["not 1", "law"]),
    "a row that does not sum to 1": ({"kind": "chain", "transition": [[0.8, 0.1], [0.3, 0.7]], "start": [0.6, 0.4], "length": 9},
                                     ["not 1", "row 0"]),
    "a cycle in a tree": ({"kind": "tree", "parents": [1, 0], "tables": [[[0.5, 0.5]] * 2] * 2}, ["cycle", "field"]),
    "an edge to a missing record": ({"kind": "field", "nodes": 2, "edges": [[0, 7, 0.5]]}, ["record 7", "numbered from 0"]),
    "a negative strength": ({"kind": "field", "nodes": 2, "edges": [[0, 1, -0.5]]}, ["not negative", "odds ratio"]),
    "a strength that is no number": ({"kind": "field", "nodes": 2, "edges": [[0, 1, "strong"]]}, ["number", "edge 0"]),
    "influences that do not contract": ({"kind": "lipschitz", "influence": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]},
                                        ["spectral radius", "group"]),
    "a joint law that is too large": ({"kind": "joint", "values": [2] * 20, "law": [1]}, ["4096 states", "tree"]),
    "an unknown kind": ({"kind": "clique", "size": 3}, ["unknown kind", "group"]),
}


class BadModels(KithCase):
    def refused_model(self, model, *words):
        self.write("model.json", model if isinstance(model, str) else json.dumps(model))
        message = self.refused(self.run_kith("transfer", "model.json", "--plain", "0.5"), 2, *words)
        self.assertIn("try:", message)
        self.assertIn("model.json", message)

    def test_each_is_refused_with_a_next_step(self):
        for name, (model, words) in BAD.items():
            with self.subTest(name):
                self.refused_model(model, *words)

    def test_a_strength_that_is_nan(self):  # JSON has no such number
        self.refused_model('{"kind":"field","nodes":2,"edges":[[0,1,NaN]]}', "not JSON")

    def test_each_is_refused_in_a_policy(self):
        head, tail = POLICY.split("[dependence]")
        tail = "[budget]" + tail.split("[budget]")[1]
        for name, (model, words) in BAD.items():
            with self.subTest(name):
                self.write("model.json", json.dumps(model))
                self.write("policy.toml", head + '[dependence]\nsource = "public"\nfile = "model.json"\n' + tail)
                self.refused(self.ask(ILL), 2, *words)
        self.assertFalse((self.folder / "people.ledger").exists())

    def graph(self, lines):
        self.write("friends.csv", "a,b\n" + "".join(lines))
        self.write("field.json", '{"kind":"field","nodes":1000,"edges":"friends.csv","theta":0.1}')
        return self.run_kith("transfer", "field.json", "--plain", "0.1")

    def test_a_graph_file_with_a_tenth_of_its_lines_broken(self):
        good = [f"{i},{i + 1}\n" for i in range(500)]
        self.ok(self.graph(good))
        broken = ["7\n" if i % 10 == 0 else line for i, line in enumerate(good)]
        message = self.refused(self.graph(broken), 2, "friends.csv", "50 lines", "try:")
        self.assertNotIn("499", message)  # not a record of the file
        for bad in ['3,"4\n', "3,\n", "3,4,5,6\n"]:
            self.refused(self.graph([bad if i % 10 == 0 else line for i, line in enumerate(good)]), 2, "friends.csv", "try:")

    def test_more_records_than_declared(self):
        self.refused(self.graph([f"{i},{i + 1}\n" for i in range(1500)]), 2, "1000 records", "try:")

    def test_a_graph_that_is_not_there(self):
        self.write("field.json", '{"kind":"field","nodes":1000,"edges":"nowhere.csv","theta":0.1}')
        self.refused(self.run_kith("transfer", "field.json", "--plain", "0.1"), 2, "nowhere.csv")


if __name__ == "__main__":
    unittest.main()
