/** Preloaded by a process (`NODE_OPTIONS`): ONNX Runtime is not found in it, nor in its threads. */
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  if (request !== 'onnxruntime-node') return resolve(request, ...rest);
  throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
};
