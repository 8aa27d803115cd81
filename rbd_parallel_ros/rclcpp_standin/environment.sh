# SPDX-License-Identifier: Apache-2.0
#
# To be sourced (bash): the environment in which the ROS 2 wheels of PyPI serve as a ROS 2 installation.
#
#     source environment.sh ROOT [PREFIX...]
#
# ROOT is the repository's folder; the wheels (requirements.txt) are in ROOT/.venv. PREFIX are install prefixes to be searched
# first; where none is given, ROOT/install. The stand-in's prefix comes last: RBD_STANDIN_PREFIX, by default
# ROOT/install_standin. Sourcing it twice changes nothing.

_rbd_root=$(cd "${1:?usage: source environment.sh ROOT [PREFIX...]}" && pwd) || return
shift
[ $# -gt 0 ] || set -- "$_rbd_root/install"

# _rbd_prepend VARIABLE ENTRY...: puts the entries first, in this order, each once.
_rbd_prepend() {
  local name=$1 entry list
  shift
  list=${!name:-}
  for entry in "$@"; do
    list=:$list:
    while [[ $list == *":$entry:"* ]]; do list=${list//":$entry:"/:}; done
    list=${list#:}
    list=${list%:}
  done
  entry=$(IFS=:; echo "$*")
  printf -v "$name" %s "$entry${list:+:$list}"
  export "${name?}"
}

export RBD_WHEELS_PREFIX=$_rbd_root/.venv
export RBD_STANDIN_PREFIX=${RBD_STANDIN_PREFIX:-$_rbd_root/install_standin}
# Otherwise a hook of the wheels starts Python a second time, to set LD_LIBRARY_PATH.
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1

_rbd_prepend PATH "$RBD_WHEELS_PREFIX/bin"
_rbd_prepend AMENT_PREFIX_PATH "$@" "$RBD_WHEELS_PREFIX"
_rbd_prepend CMAKE_PREFIX_PATH "$@" "$RBD_WHEELS_PREFIX" "$RBD_STANDIN_PREFIX"
_rbd_prepend LD_LIBRARY_PATH "${@/%//lib}" "$RBD_STANDIN_PREFIX/lib" "$RBD_WHEELS_PREFIX/lib" \
  "$RBD_WHEELS_PREFIX"/lib/python3*/site-packages/ros_*.libs
_rbd_python=$("$RBD_WHEELS_PREFIX/bin/python3" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
_rbd_prepend PYTHONPATH "${@/%//lib/$_rbd_python/site-packages}"

unset -f _rbd_prepend
unset _rbd_root _rbd_python
