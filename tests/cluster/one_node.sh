#!/usr/bin/env bash
# A Slurm cluster of this machine alone, for tests: no systemd, all files in one folder.
#
#   one_node.sh install          the packages, by name (Debian; needs root)
#   one_node.sh start FOLDER     munged, slurmctld, slurmd; prints the file for SLURM_CONF
#   one_node.sh stop FOLDER      ends what was started there
#
# Needs root, as slurmd and munged do. Exit code 3: it can't be done here.
set -uo pipefail

say() { printf 'cluster: %s\n' "$*" >&2; }

cannot() {
    say "$*"
    exit 3
}

install_packages() {
    type -P slurmctld slurmd sbatch munged >/dev/null && return 0
    type -P apt-get >/dev/null || cannot "no apt-get"
    ((EUID == 0)) || cannot "not root"
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurm-wlm munge \
        >&2 </dev/null || cannot "slurm-wlm and munge can't be installed"
}

start() {
    local folder=$1 host cores
    ((EUID == 0)) || cannot "not root"
    for program in slurmctld slurmd sbatch munged munge; do
        type -P "$program" >/dev/null || cannot "no $program"
    done
    host=$(hostname -s)
    cores=$(nproc)
    mkdir -p "$folder"/{state,spool,log} /run/munge
    chown munge: /run/munge
    if ! munge -n >/dev/null 2>&1; then
        [[ -e /etc/munge/munge.key ]] || mungekey --create || cannot "no key for munge"
        chown -R munge: /etc/munge /var/lib/munge /var/log/munge
        # munged as its own user: it refuses files of others.
        setpriv --reuid=munge --regid=munge --clear-groups munged --force ||
            cannot "munged does not start"
        touch "$folder/munged-is-ours"
    fi
    cat >"$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,batch_sched_delay=0
MaxArraySize=10001
MaxJobCount=20000
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log
ReturnToService=2
NodeName=$host CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
CONF
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -c || cannot "slurmctld does not start"
    slurmd || { stop "$folder"; cannot "slurmd does not start"; }
    for _ in {1..100}; do
        [[ $(sinfo --noheader --format %T 2>/dev/null) == idle ]] && break
        sleep 0.1
    done
    [[ $(sinfo --noheader --format %T) == idle ]] || { stop "$folder"; cannot "no node is up"; }
    echo "$SLURM_CONF"
}

stop() {
    local folder=$1 name pid
    export SLURM_CONF=$folder/slurm.conf
    for name in slurmd slurmctld; do
        pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null
        for _ in {1..50}; do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
    if [[ -e $folder/munged-is-ours ]]; then
        munged --stop >/dev/null 2>&1
        rm -f "$folder/munged-is-ours"
    fi
}

case ${1:-} in
install) install_packages ;;
start) start "${2:?a folder}" ;;
stop) stop "${2:?a folder}" ;;
*)
    say "install, start FOLDER or stop FOLDER"
    exit 2
    ;;
esac
