/** Scripts that make a shell ask `edgecrew completion words` for the next word. Without one the shell offers files. */
export const COMPLETION_SCRIPTS = {
  bash: `# edgecrew completion bash: put into ~/.bashrc as: source <(edgecrew completion bash)
_edgecrew() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <(edgecrew completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _edgecrew edgecrew
`,
  zsh: `#compdef edgecrew
# edgecrew completion zsh: put into ~/.zshrc as: source <(edgecrew completion zsh)
_edgecrew() {
  local -a found
  found=("\${(@f)$(edgecrew completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _edgecrew edgecrew
`,
  fish: `# edgecrew completion fish > ~/.config/fish/completions/edgecrew.fish
function __edgecrew_words
  set -l typed (commandline -opc)
  edgecrew completion words -- $typed[2..-1] (commandline -ct | string collect --allow-empty) 2>/dev/null
end
complete -c edgecrew -a '(__edgecrew_words)'
`,
} as const;
