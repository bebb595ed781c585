#!/usr/bin/env bash
# A figure of one of three papers on position encodings: trains the models that are not trained yet,
# and writes OUTPUT/figures/FIGURE as HTML pages.
#
#   recipes/papers/figure.sh FIGURE DATA OUTPUT [--scale tiny|small|full] [--jobs | --job NAME | --print]
#                            [option ...]
#
# FIGURE: diet-4 (Chen et al. 2021), tupe-4 tupe-5 (Ke et al. 2021), wang-1 wang-2 wang-5 wang-6
# wang-7 wang-11 (Wang et al. 2021). The options are those of table.sh.
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/papers.py" figure "$@"
