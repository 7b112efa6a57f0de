ARG NODE_IMAGE=node:22-bookworm-slim

# --- runtime dependencies -------------------------------------------------------------------------------------------
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No dependency runs code here (.npmrc).
RUN npm ci --omit=dev --no-progress && find node_modules -name '*.map' -delete
# ONNX Runtime comes with its libraries for every platform; only one is used. 0 removes it, and models run on WebAssembly.
ARG ONNX_RUNTIME=1
RUN if [ "$ONNX_RUNTIME" = 1 ]; then \
      find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -path "*/$(node -p 'process.platform + "/" + process.arch')" -exec rm -r {} +; \
    else \
      rm -r node_modules/onnxruntime-*; \
    fi
# 1 adds TensorFlow's native engine: its install script, the only one that may run (package.json, allowScripts), downloads
# libtensorflow (x64), and the image grows by about 1 GB; inference on WebAssembly needs neither.
ARG NATIVE_TENSORFLOW=0
RUN if [ "$NATIVE_TENSORFLOW" = 1 ]; then \
      npm install @tensorflow/tfjs-node@4.22.0 --no-save --omit=dev --no-progress --ignore-scripts=false; \
    fi

# --- the image -----------------------------------------------------------------------------------------------------
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Loupe" \
      org.opencontainers.image.description="Identifies luxury items from a photo and answers for their catalog" \
      org.opencontainers.image.licenses="Apache-2.0"

# Two arenas instead of eight per core, and large buffers are returned to the system: otherwise glibc's allocator keeps the memory
# of decoded pictures (docs/hostile-input.md).
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=1048576

WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY . .

# All state is in /data; everything else may be mounted read-only, with a tmpfs on /tmp.
RUN install -d -o node -g node -m 0750 /data
VOLUME /data
USER node
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# One process without a shell or npm in between, so that it receives SIGTERM and shuts down cleanly.
# The heap is Node's own default, which follows the memory limit of the container; NODE_OPTIONS=--max-old-space-size=… sets another.
CMD ["node", "--heap-growing-percent=200", "--require", "./scripts/low-priority-pool.cjs", "--require", "tsx/cjs", "scripts/start.ts"]
