// Preload: takes n8n's modules from the pinned n8n, so that there is one copy of each, the one that
// runs in production. The package's own development dependencies have the engine without isolated-vm.
'use strict';
const Module = require('node:module');
const path = require('node:path');

const OF_N8N = /^(?:n8n-core|n8n-workflow|n8n-nodes-base|reflect-metadata)(?:\/|$)/;
const paths = [path.resolve(__dirname, '../e2e')];
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
