"""The benchmarks that `make bench` runs: each figure beside a floor measured in the same run (docs/benchmarks.md)."""
