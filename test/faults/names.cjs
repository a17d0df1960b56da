// Loaded into the process of a client: names under faulty.localhost are this machine, unless they are forgotten. Also sets
// the clock of that process off.
"use strict";

const dns = require("node:dns");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const SUFFIX = ".faulty.localhost";
const lookup = dns.lookup;

dns.lookup = (hostname, options, callback) => {
  const done = typeof options === "function" ? options : callback;
  if (!hostname.endsWith(SUFFIX)) return lookup(hostname, options, callback);
  if (existsSync(join(process.env.CREC_FAULTS_NAMES, hostname))) {
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
      code: "ENOTFOUND",
      hostname,
    });
    return process.nextTick(done, error);
  }
  const isAll = typeof options === "object" && options?.all;
  const address = { address: "127.0.0.1", family: 4 };
  return process.nextTick(() =>
    isAll ? done(null, [address]) : done(null, address.address, address.family),
  );
};

const offMs = Number(process.env.CREC_FAULTS_CLOCK ?? 0);
if (offMs !== 0) {
  const RightDate = Date;
  globalThis.Date = class extends RightDate {
    constructor(...given) {
      if (given.length === 0) super(RightDate.now() + offMs);
      else super(...given);
    }

    static now() {
      return RightDate.now() + offMs;
    }
  };
}
