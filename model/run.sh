#!/bin/bash
# One training on a machine with a GPU, PyTorch and many cores: generators write shards while the model trains on them.
#   model/run.sh OUT SECONDS MIX SEED [arguments of train.py]
# Needs .cache/gpu/: shards.mjs, grade.mjs, prompts.jsonl (model/README.md tells how they are made) and, where there is no
# node on the PATH, node.xz.
set -eu
out=$1 seconds=$2 mix=$3 seed=$4
shift 4
bin=.cache/gpu
node=$(command -v node || true)
if [ -z "$node" ]; then
  [ -x /tmp/node ] || { python3 -c "import lzma,shutil;shutil.copyfileobj(lzma.open('$bin/node.xz'),open('/tmp/node','wb'))"; chmod +x /tmp/node; }
  node=/tmp/node
fi
shards=/tmp/shards-$mix-$seed
mkdir -p "$out" "$shards"
writers=${WRITERS:-14}
pids=""
for p in $(seq 0 $((writers - 1))); do
  nice -n 5 "$node" $bin/shards.mjs --out "$shards" --process "$p" --seed "$seed" --mix "$mix" \
    --shards 100000 --shard-tokens 1500000 --tokenizer model/weights/tokenizer.json 2>> "$out/generators.log" &
  pids="$pids $!"
done
trap 'kill $pids 2>/dev/null || true' EXIT
PYTHONUNBUFFERED=1 python3 model/train.py --data "$shards" --out "$out" --seconds "$seconds" --seed "$seed" \
  --prompts $bin/prompts.jsonl "$@"
kill $pids 2>/dev/null || true
du -sm "$shards" | cut -f1
"$node" $bin/grade.mjs "$out/samples.jsonl"
gzip -f "$out/samples.jsonl"
