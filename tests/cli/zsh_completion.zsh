# Prints what zsh offers for each line: zsh -f zsh_completion.zsh FUNCTIONS DUMP LINE...
# An interactive zsh runs in a pseudo terminal; its compadd writes down the matches.
zmodload zsh/zpty
folder=$1 dump=$2
shift 2

# wait_for TEXT: reads the terminal up to it.
wait_for() {
  local seen
  zpty -r shell seen "*$1*" || { print -u2 "zsh ended: $seen"; exit 1 }
}

zpty shell zsh -f -i
zpty -w shell "fpath=($folder \$fpath); PS1=; unsetopt zle_bracketed_paste; stty -echo"
zpty -w shell 'autoload -Uz compinit; compinit -u -d '$dump
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-[OAD]\ * ]]; then builtin compadd "$@"; return; fi
  local -a found; builtin compadd -A found "$@"; offered+=($found); builtin compadd "$@"
}'
zpty -w shell 'show() { print -r -- "<<${(j: :)${(ou)offered}}>>"; offered=(); BUFFER=; }'
zpty -w shell 'zle -N show; bindkey "^X" show; zstyle ":completion:*" list-prompt ""; print "re""ady"'
wait_for ready

for line in $@; do
  zpty -w -n shell "$line"$'\t\x18'
  zpty -r shell seen '*<<*>>*' || exit 1
  seen=${seen##*<<}
  print -r -- "$line: ${seen%%>>*}"
done
zpty -d shell
