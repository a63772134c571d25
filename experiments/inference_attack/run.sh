#!/usr/bin/env bash
# The figures of README.md. Usage: run.sh KITH VISITS FRIENDS OUT [more options of kith attack, such as --columns ...]
# Example: run.sh build/kith checkins.tsv.gz friends.tsv.gz figures --columns user,time,lat,lon,place
# REPETITIONS of the noise: 3, unless set; EPSILONS: those of README.md, unless set.
set -euo pipefail
kith=$1 visits=$2 friends=$3 out=$4
shift 4
mkdir -p "$out"
# As many known people as published, or their share of a smaller data set.
users=$("$kith" attack "$visits" "$friends" "$@" --epsilon 1 --places 1 --methods laplace --repetitions 1 --follow 0 --json | grep -o '"users": *[0-9]*' | grep -o '[0-9]*')
known=1000,3500
if [ "$users" -le 3500 ]; then known=$((users / 7)),$((users / 2)); fi
attack() { "$kith" attack "$visits" "$friends" "$@" --epsilon "${EPSILONS:-0.1,0.3,1,3,10}" --repetitions "${REPETITIONS:-3}"; }
# As published: six places, one noise scale for all centroids; figures 5, 7 and 10.
attack "$@" --known "$known" --methods laplace,dpm-eq18,dpm-eq18-0.9,dpm-eq18-0.8,star,field --out "$out/published" --report "$out/published.html" > "$out/published.txt"
# Sharper: one place, noise for the size of each cluster.
attack "$@" --places 1 --per-cluster --methods laplace,dpm-eq14,dpm-eq18,star,field --out "$out/sharper" --report "$out/sharper.html" > "$out/sharper.txt"
# Counts: the question that reveals the most.
attack "$@" --places 1 --question cells --methods laplace,star,field --out "$out/cells" --report "$out/cells.html" > "$out/cells.txt"
