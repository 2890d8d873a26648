#!/bin/sh
# Compiles the test programs to ../clang/NAME.ptx with clang 19, without
# NVIDIA's toolkit. Run by go generate.
set -e
cd "$(dirname "$0")"
out=../clang
mkdir -p $out

compile() { # name, architecture, output suffix, options
    name=$1 arch=$2 suffix=$3
    shift 3
    clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=$arch -nocudainc -nocudalib -Xclang -target-feature -Xclang +ptx71 \
        -fno-strict-aliasing -ffile-prefix-map="$PWD"=/src -fdebug-compilation-dir=/src "$@" -S $name.cu -o $out/$name$suffix.ptx
}

for name in integers floats memory atomics control; do
    compile $name sm_35 "" -O1 -fno-unroll-loops -mllvm -two-entry-phi-node-folding-threshold=0
done
compile halves sm_90 "" -O2 -Xclang -target-feature -Xclang +ptx80
compile floats sm_70 -fast -O3 -ffast-math
compile memory sm_70 -o3 -O3
compile integers sm_20 -o2 -O2
compile control sm_60 -debug -O1 -g
compile atomics sm_35 -o0 -O0
clang-19 -x cl -cl-std=CL1.2 -target nvptx64-nvidia-nvcl -Xclang -finclude-default-header -O2 -S kernels.cl -o $out/opencl.ptx
clang-19 -x cl -cl-std=CL1.2 -target nvptx-nvidia-nvcl -Xclang -finclude-default-header -O2 -S kernels.cl -o $out/opencl32.ptx
