#!/usr/bin/env python3
"""Tests english_test.py: it finds each word where a person reads it, and nowhere else."""
import pathlib
import unittest

import english_test


def found(name, text):
    prose = english_test.prose_of(pathlib.Path(name), text)
    return [line.partition(";")[0].partition(":")[2] for line in english_test.findings("f", prose)]


class EnglishTest(unittest.TestCase):
    def test_comments_and_messages_of_cpp(self):
        self.assertEqual(found("a.cpp", "int alone = 1;\n// all but\n// for one\n"), ["2: 'but for'"])
        self.assertEqual(found("a.h", 'fail("a model beside it");\nkey("trainings");\n'), ["1: 'beside'"])
        self.assertEqual(found("a.h", "/// Of a hypothesis.\nint x;  // of a row\n"), ["1: 'Of'"])
        self.assertEqual(found("a.h", "/// Tokens\n/// Of the best hypothesis.\n"), [])
        self.assertEqual(found("a.cpp", "char c = '\"';  // alone\n"), ["1: 'alone'"])

    def test_python_and_shell(self):
        self.assertEqual(found("a.py", 'alone = 1\n\ndef f():\n    """Of a run."""\n    # alone\n'),
                         ["5: 'alone'", "4: 'Of'"])
        self.assertEqual(found("a.sh", "alone=1\necho \"a training failed\"  # but of one\n"),
                         ["2: 'but of'", "2: 'a training'"])

    def test_documents_without_their_code(self):
        self.assertEqual(found("a.md", "Runs `alone` and [x](alone.md).\n\n    alone\n\n```\nalone\n```\n"), [])
        self.assertEqual(found("a.md", "It works\nalone.\n"), ["2: 'alone'"])

    def test_ordinary_english_is_left(self):
        self.assertEqual(found("a.md", "Behind a reverse proxy. A training run. It is far behind. "
                                       "Tokens of its own batches. It has two.\n"), [])
        self.assertEqual(found("a.md", "A server of its own on a port.\n"), ["1: 'of its own'"])


if __name__ == "__main__":
    unittest.main()
