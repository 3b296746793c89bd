'use strict';
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

/**
 * Packages are loaded once by each worker, with Node's `require`, and not again for each file of tests: n8n-core alone
 * takes a second. The sources, and what a test mocks, are loaded for each file.
 */
module.exports = class extends Runtime {
  requireModule(from, name, options, isActual) {
    const file = options?.isInternalModule ? '' : this.packageFile(from, name);
    return file ? require(file) : super.requireModule(from, name, options, isActual);
  }

  packageFile(from, name) {
    if (this._resolution.isCoreModule(name ?? from)) return '';
    const file = name === undefined ? from : this._resolution.resolveCjs(from, name);
    return file.includes(`${path.sep}node_modules${path.sep}`) ? file : '';
  }
};
