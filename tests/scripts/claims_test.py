"""bench/claims.py: its test of significance, and its table of bench/RESULTS.md.

    claims_test.py ROOT
"""
import pathlib
import sys
import unittest

from log_scratch import tables_are_those_of_the_log

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "bench"))
import claims  # noqa: E402


class Welch(unittest.TestCase):
    def test_quantiles_of_students_t(self):
        for t, degrees in ((2.570582, 5), (-2.570582, 5), (12.706205, 1), (3.182446, 3)):
            self.assertAlmostEqual(claims.two_sided_p(t, degrees), 0.05, 6)

    def test_t_and_degrees_of_freedom_are_those_of_scipy(self):
        # scipy.stats.ttest_ind([41.2, 42.0, 41.1], [40.0, 40.9], equal_var=False)
        t, degrees = claims.welch([41.2, 42.0, 41.1], [40.0, 40.9])
        self.assertAlmostEqual(t, 1.84645675, 6)
        self.assertAlmostEqual(degrees, 1.81586837, 6)
        self.assertAlmostEqual(claims.two_sided_p(t, degrees), 0.21875039, 6)

    def test_a_claim_needs_a_small_p_and_its_sign(self):
        self.assertEqual(claims.verdict(1.0, 0.2), "cannot be told")
        self.assertEqual(claims.verdict(1.0, 0.01), "holds")
        self.assertEqual(claims.verdict(-1.0, 0.01), "does not hold")


class Results(unittest.TestCase):
    def test_the_table_is_that_of_the_logs(self):
        tables_are_those_of_the_log(self, ROOT / "bench/claims.py", "table")


if __name__ == "__main__":
    unittest.main()
