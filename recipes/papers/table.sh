#!/usr/bin/env bash
# A table of one of three papers on position encodings: trains every row that is not trained yet, and
# prints the paper's figures and ours in Markdown.
#
#   recipes/papers/table.sh TABLE DATA OUTPUT [--scale tiny|small|full] [--jobs | --job NAME | --print]
#                           [option ...]
#
# TABLE: diet-2 diet-3 diet-4 diet-5 diet-6 diet-8 diet-9 (Chen et al. 2021), tupe-1 tupe-2 (Ke et
# al. 2021), wang-2 wang-3 wang-4 wang-5 (Wang et al. 2021). README.md describes DATA and the scales.
# Tables with the same OUTPUT share their models. A run that was interrupted continues.
#
#   --jobs      print a command for each job instead; those after an empty line need those before it
#   --job NAME  only do this job
#   --print     only print the table, of what is there
#
# Other options go to every training command, for instance --device cuda --precision bf16. From the
# environment: DIETMT (the program).
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/papers.py" table "$@"
