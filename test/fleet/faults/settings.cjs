// The settings of `npm start`, with a record of what passes through the flow, a wall clock that can be wrong, and a way
// to the service that can be cut.
"use strict";

const { appendFileSync } = require("node:fs");
const net = require("node:net");
const settings = require("../../../scripts/node-red-settings.cjs");

const { FLEET_RECORD = "", FLEET_COPY = "", FLEET_CLOCK_AHEAD_MS = "0" } = process.env;
const { FLEET_SERVICE_PORT = "", FLEET_SERVICE_ROUTE = "" } = process.env;

const aheadMs = Number(FLEET_CLOCK_AHEAD_MS);
if (aheadMs !== 0) {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + aheadMs);
      else super(...args);
    }
    static now() {
      return RealDate.now() + aheadMs;
    }
  };
}

// The address of the service is part of a cursor's identity, so it is the same in each copy; the way to it is not.
const { connect } = net;
net.connect = (options, ...rest) => {
  const isToService = String(options.port) === FLEET_SERVICE_PORT;
  return connect(isToService ? { ...options, port: FLEET_SERVICE_ROUTE } : options, ...rest);
};

settings.functionGlobalContext = {
  /** Written before the message goes on, so that a kill loses nothing that had an effect. One line is one write. */
  record: (kind, { payload, crec = {}, error }) => {
    const { eventId, offset, epoch, redelivered = false, attempt = 1 } = crec;
    const line = {
      // The same steady clock in each process.
      atMs: Number(process.hrtime.bigint() / 1_000n) / 1_000,
      copy: FLEET_COPY,
      kind,
      eventId,
      offset,
      ...(epoch === undefined ? {} : { epoch }),
      repeated: redelivered || attempt > 1,
      ...(kind === "sent" ? { value: payload.params.value } : {}),
      ...(error === undefined ? {} : { code: error.code }),
    };
    appendFileSync(FLEET_RECORD, `${JSON.stringify(line)}\n`);
  },
};

module.exports = settings;
