// Node-RED's settings in the container. Its own documentation describes all of them.
"use strict";

const { NODE_RED_CREDENTIAL_SECRET: credentialSecret, NODE_RED_ADMIN_PASSWORD_HASH: password } = process.env;

module.exports = {
  // Published by Docker, and there only for this machine: see compose.yaml.
  uiHost: "0.0.0.0",
  uiPort: process.env.PORT || 1880,
  flowFile: "flows.json",
  // Without one, Node-RED makes its own and keeps it in /data.
  ...(credentialSecret ? { credentialSecret } : {}),
  ...(password
    ? { adminAuth: { type: "credentials", users: [{ username: "admin", password, permissions: "*" }] } }
    : {}),
};
