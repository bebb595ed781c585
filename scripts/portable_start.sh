#!/bin/sh
# Starts the program of this name with the libraries of the archive, not those of the system.
file=$0
if [ -L "$file" ]; then file=$(readlink -f "$file"); fi
case $file in /*) ;; *) file=$PWD/$file ;; esac
home=${file%/bin/*}/lib/dietmt
name=${file##*/}
libraries=$home/runtime
if [ "$name" = dietmt-torch ]; then libraries=$libraries:$home/torch/lib; fi
exec "$home/runtime/@loader@" --library-path "$libraries" --argv0 "$file" "$home/programs/$name" "$@"
