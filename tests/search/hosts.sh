#!/usr/bin/env bash
# Runs a command on the first of three hosts that lie on this machine: network namespaces with names and
# addresses of their own, joined by a bridge. Needs root. hosts.sh mpirun --host HOSTS ... finds them:
#   hosts.sh COMMAND...       HOSTS in the words of the command stands for their addresses
# Status 77: there can be no such hosts here.
set -euo pipefail

# One set of hosts a run of this script.
tag=s$$
net=10.$((64 + $$ % 64)).$(($$ / 64 % 256))
hosts=(1 2 3)
agent=$(mktemp)

cleanup() {
  for i in "${hosts[@]}"; do ip netns del "$tag-$i" 2>/dev/null || true; done
  ip link del "$tag" 2>/dev/null || true
  rm -f "$agent"
}
trap cleanup EXIT

make_hosts() {
  ip link add "$tag" type bridge && ip link set "$tag" up
  for i in "${hosts[@]}"; do
    ip netns add "$tag-$i"
    ip link add "$tag$i" type veth peer name eth0 netns "$tag-$i"
    ip link set "$tag$i" master "$tag" up
    ip -n "$tag-$i" addr add "$net.$i/24" dev eth0
    ip -n "$tag-$i" link set eth0 up
    ip -n "$tag-$i" link set lo up
  done
}
(make_hosts) 2>/dev/null || exit 77

# What mpirun calls instead of ssh: AGENT ADDRESS COMMAND...
cat >"$agent" <<AGENT
#!/bin/sh
i=\${1##*.}; shift
exec ip netns exec $tag-\$i unshare --uts sh -c "hostname $tag-\$i; \$*"
AGENT
chmod +x "$agent"

words=()
for word in "$@"; do words+=("${word//HOSTS/$net.1,$net.2,$net.3}"); done
export OMPI_MCA_plm_rsh_agent=$agent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0
ip netns exec "$tag-1" unshare --uts sh -c "hostname $tag-1; exec \"\$@\"" sh "${words[@]}"
