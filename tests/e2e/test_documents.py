"""The schema of documents: what the program prints fits it, and whatever is wrong with a document is seen."""
import copy
import json
import unittest

import jsonschema

import documents
from kith_case import ILL, KithCase

GROUP = '{"kind":"group","size":4,"odds_ratio":2}'


class Documents(KithCase):
    def printed(self):
        """One document of each kind that is easy to have, by the name of its definition. All are checked when they are printed."""
        self.write("group.json", GROUP)
        self.write("chain.json", '{"kind":"chain","length":3,"initial":[0.5,0.5],"table":[[0.8,0.2],[0.2,0.8]]}')
        runs = {
            "answer": ["query", "policy.toml", ILL, "--epsilon", "0.1"],
            "explanation": ["explain", "policy.toml", "SELECT ward, avg(age) AS a FROM people GROUP BY ward", "--epsilon", "0.1"],
            "budget": ["budget", "policy.toml"],
            "policy_audit": ["audit", "policy.toml", "--epsilon", "0.1"],
            "transferred": ["transfer", "group.json", "--plain", "0.25"],
            "comparison": ["transfer", "group.json", "--dependent", "1", "--compare"],
            "gaussian": ["transfer", "group.json", "--gaussian", "--dependent", "1", "--delta", "1e-6", "--counts", "20"],
        }
        found = {name: self.json(self.run_kith(*arguments, "--json")) for name, arguments in runs.items()}
        found["error"] = json.loads(self.run_kith("query", "policy.toml", ILL, "--json").stdout)
        return found

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(documents.whole())
        broken = copy.deepcopy(documents.whole())
        broken["$defs"]["answer"]["type"] = "objekt"
        with self.assertRaises(jsonschema.SchemaError):
            jsonschema.Draft202012Validator.check_schema(broken)

    def test_every_document_is_of_its_own_kind_only(self):
        for name, document in self.printed().items():
            kinds = [kind for kind in documents.OF_VERB for kind in documents.OF_VERB[kind] if not documents.faults(document, [kind])]
            self.assertEqual(set(kinds) or {"error"}, {name})
            self.assertEqual(documents.faults(document, [name]), [])

    def test_planted_faults_are_seen(self):
        for name, document in self.printed().items():
            self.assertTrue(documents.faults([document], [name]))
            self.assertTrue(documents.faults({**document, "another": 1}, [name]), f"{name}: a field that is not in the schema")
            for field in documents.whole()["$defs"][name]["required"]:
                less = {key: value for key, value in document.items() if key != field}
                self.assertTrue(documents.faults(less, [name]), f"{name} without {field}")
                other = copy.deepcopy(document)
                other[field] = {"not": "this"}
                self.assertTrue(documents.faults(other, [name]), f"{name}: {field} of another kind")

    def test_infinity_has_one_spelling(self):
        budget = self.printed()["budget"]
        budget["dependent_total"] = "inf"
        self.assertEqual(documents.faults(budget, ["budget"]), [])
        for spelling in ["Infinity", "∞", "infinite", "1e999"]:
            budget["dependent_total"] = spelling
            self.assertTrue(documents.faults(budget, ["budget"]), spelling)

    def test_an_error_names_the_parameter_and_the_terminal_its_flag(self):
        done = self.run_kith("query", "policy.toml", ILL, "--json")
        error = json.loads(done.stdout)["error"]
        self.assertEqual((error["code"], error["parameter"]), ("invalid_argument", "price"))
        self.assertNotIn("--", error["hint"])
        self.assertIn("--epsilon 0.1", done.stderr)

    def test_a_wrong_document_fails_a_test(self):
        with self.assertRaises(AssertionError):
            documents.check(["query", "--json"], '{"answer": 3}\n')
        documents.check(["query"], "a table\n")


if __name__ == "__main__":
    unittest.main()
