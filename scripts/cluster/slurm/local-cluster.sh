#!/usr/bin/env bash
# Two Slurm nodes on this machine, for trials (Debian: slurm-wlm and munge; as root, without systemd):
#
#     scripts/cluster/slurm/local-cluster.sh start FOLDER    then: export SLURM_CONF=FOLDER/slurm.conf
#     scripts/cluster/slurm/local-cluster.sh node FOLDER n1  start a node again
#     scripts/cluster/slurm/local-cluster.sh controller FOLDER
#     scripts/cluster/slurm/local-cluster.sh stop FOLDER
set -euo pipefail

usage() {
    printf 'Usage: %s start|stop|controller FOLDER, or node FOLDER NAME\n' "$0" >&2
    exit 2
}
[ $# -ge 2 ] || usage
what=$1 folder=$2
export SLURM_CONF=$folder/slurm.conf

node() { slurmd -N "$1" -L "$folder/$1.log" && printf 'node %s\n' "$1"; }
controller() { slurmctld -L "$folder/controller.log"; }

# Ends the daemons of this folder's cluster by their files of process numbers.
stop() {
    for file in "$folder"/*.pid; do
        [ ! -e "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
    done
}

case $what in
start)
    mkdir -p "$folder"/{state,n1,n2} /run/munge
    cat >"$folder/slurm.conf" <<END
ClusterName=trial
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmctldPort=26817
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=20
SlurmctldTimeout=20
MessageTimeout=10
KillWait=5
MailProg=/bin/true
JobRequeue=1
SlurmctldPidFile=$folder/controller.pid
SlurmdPidFile=$folder/%n.pid
SlurmdSpoolDir=$folder/%n
StateSaveLocation=$folder/state
NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=26818 CPUs=2 RealMemory=1000
NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=26819 CPUs=2 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
    if ! munge -n >/dev/null 2>&1; then
        chown munge: /run/munge 2>/dev/null || true
        runuser -u munge -- munged --force >/dev/null 2>&1 || munged --force
    fi
    controller
    node n1
    node n2
    ;;
node) [ $# -eq 3 ] || usage; node "$3" ;;
controller) controller ;;
stop) stop ;;
*) usage ;;
esac
