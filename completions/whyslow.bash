# Completion of whyslow's subcommands and options in bash.

_whyslow_options() {
    # The options that --help explains, so that this file need not know them.
    "${COMP_WORDS[0]}" "$@" --help 2>/dev/null | grep -oE -- '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

_whyslow_subcommands() {
    "${COMP_WORDS[0]}" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

_whyslow() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} sub=${COMP_WORDS[1]} i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_whyslow_subcommands) help --help --version" -- "$word")
        return
    fi
    # From the user's own command on, complete as if it stood alone.
    if [[ $sub == run || $sub == record ]]; then
        for ((i = 2; i < COMP_CWORD; i++)); do
            if [[ ${COMP_WORDS[i]} == -- ]]; then
                if declare -F _command_offset >/dev/null; then
                    _command_offset $((i + 1))
                else
                    mapfile -t COMPREPLY < <(compgen -o plusdirs -c -- "$word")
                fi
                return
            fi
        done
    fi
    case $before in
    --by) mapfile -t COMPREPLY < <(compgen -W 'kind function type site size time phase node place pair' -- "$word") && return ;;
    --kind) mapfile -t COMPREPLY < <(compgen -W 'message put get atomic collective' -- "$word") && return ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'native clips' -- "$word") && return ;;
    --to) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" export --help 2>/dev/null |
        grep -oE '^[a-z0-9]+:' | tr -d :)" -- "$word") && return ;;
    --model) mapfile -t COMPREPLY < <(compgen -W 'default paper' -- "$word") && return ;;
    --mpi) mapfile -t COMPREPLY < <(compgen -W 'openmpi mpich' -- "$word") && return ;;
    --layer | --runtime) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" kb list --json 2>/dev/null |
        sed -n '/"runtimes"/,$p' | grep -oE '"id": *"[^"]+"' | cut -d'"' -f4)" -- "$word") && return ;;
    -o | --output)
        [[ $sub == report || $sub == export || $sub == compare ]] && i=-f || i=-d
        mapfile -t COMPREPLY < <(compgen "$i" -- "$word") && return ;;
    --kb | --prebuild) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
    esac
    if [[ $sub == kb ]] && ((COMP_CWORD == 2)); then
        mapfile -t COMPREPLY < <(compgen -W 'list show check test --help' -- "$word")
    elif [[ $sub == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_whyslow_subcommands)" -- "$word")
    elif [[ $word == -* ]]; then
        [[ $sub == kb ]] && sub="kb ${COMP_WORDS[2]}"
        # shellcheck disable=SC2086 -- "kb list" is two words
        mapfile -t COMPREPLY < <(compgen -W "-- $(_whyslow_options $sub)" -- "$word")
    elif [[ $sub == kb && (${COMP_WORDS[2]} == show || ${COMP_WORDS[2]} == test) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" kb list --json 2>/dev/null |
            sed '/"runtimes"/,$d' | grep -oE '"id": *"[^"]+"' | cut -d'"' -f4)" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -o filenames -F _whyslow whyslow
