// The settings of `npm start`, for a Node-RED that asks who is there. A person's token is their name.
"use strict";

const settings = require("../../scripts/node-red-settings.cjs");

/** May look at flows, and at nothing of ours. */
const GUEST = ["flows.read", "settings.read", "nodes.read", "plugins.read", "status.read", "context.read"];

const people = {
  ...{ admin: "*", reader: "read", guest: GUEST },
  /** By single permissions. */
  ...{ looker: [...GUEST, "crec.read"], keeper: [...GUEST, "crec.read", "crec.write"] },
};

/** @param {string} name */
const find = async (name) =>
  name in people ? { username: name, permissions: people[/** @type {keyof typeof people} */ (name)] } : null;

settings.adminAuth = {
  type: "credentials",
  users: find,
  authenticate: async () => null,
  tokens: find,
};

module.exports = settings;
