// The settings of `npm start`, for a Node-RED that asks who is there. A person's token is their name.
"use strict";

const settings = require("../../scripts/node-red-settings.cjs");

const people = { admin: "*", reader: "read" };

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
