// Preload script: loads n8n's modules from the pinned n8n, as in production. The development
// dependencies of this package have n8n's engine too, but without isolated-vm.
'use strict';
const Module = require('node:module');

const OF_N8N = /^(?:n8n-core|n8n-workflow|n8n-nodes-base|reflect-metadata)(?:\/|$)/;
const paths = [process.env.E2E_N8N_FOLDER];
const resolveFilename = Module._resolveFilename;

Module._resolveFilename = function (request, parent, isMain, options) {
  return resolveFilename.call(
    this,
    request,
    parent,
    isMain,
    OF_N8N.test(request) ? { paths } : options,
  );
};
