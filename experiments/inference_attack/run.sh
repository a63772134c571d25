#!/usr/bin/env bash
# The figures of README.md. Usage: run.sh KITH VISITS FRIENDS OUT [more options of kith attack, such as --columns ...]
# Example: run.sh build/kith checkins.tsv.gz friends.tsv.gz figures --columns user,time,lat,lon,place
set -euo pipefail
kith=$1 visits=$2 friends=$3 out=$4
shift 4
mkdir -p "$out"
# As published: six places, one noise scale for all centroids; figures 5, 7 and 10.
"$kith" attack "$visits" "$friends" "$@" --epsilon 0.1,0.3,1,3,10 --repetitions 3 --known 1000,3500 \
  --methods laplace,dpm-eq18,dpm-eq18-0.9,dpm-eq18-0.8,star,field --out "$out/published" --report "$out/published.html" > "$out/published.txt"
# Sharper: one place, noise for the size of each cluster.
"$kith" attack "$visits" "$friends" "$@" --epsilon 0.1,0.3,1,3,10 --repetitions 3 --places 1 --per-cluster \
  --methods laplace,dpm-eq14,dpm-eq18,star,field --out "$out/sharper" --report "$out/sharper.html" > "$out/sharper.txt"
# Counts: the question that reveals the most.
"$kith" attack "$visits" "$friends" "$@" --epsilon 0.1,0.3,1,3,10 --repetitions 3 --places 1 --question cells \
  --methods laplace,star,field --out "$out/cells" --report "$out/cells.html" > "$out/cells.txt"
