// @ts-check
import { once } from "node:events";
import { createServer } from "node:net";
import { StartError } from "./say.mjs";

/** All servers here listen on this address only. */
export const HOST = "127.0.0.1";

/**
 * Reads a port from the environment and checks that it is free. 0 means any free port.
 *
 * @param {string} variable the environment variable
 * @param {number} fallback the port when it is not set
 * @param {string} user who wants it, for the sentence when it is taken
 * @returns {Promise<number>}
 * @throws {StartError} when it is not a port, or is taken
 */
export async function freePort(variable, fallback, user) {
  const text = process.env[variable] || String(fallback);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new StartError(
      `${variable} is "${text}", which is not a port: set it to a number from 1 to 65535.`,
    );
  }
  const server = createServer().listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (error) {
    const why =
      /** @type {NodeJS.ErrnoException} */ (error).code === "EADDRINUSE" ? "is taken" : "may not be used";
    throw new StartError(
      `Port ${port} on ${HOST} ${why}: end what uses it, or set ${variable} to another port for ${user}.`,
    );
  }
  server.close();
  await once(server, "close");
  return port;
}

/**
 * @param {number} first 0 means any
 * @param {string} host
 * @returns {Promise<number>} the first port from there on at which nobody listens
 */
export async function nextFreePort(first, host) {
  for (let port = first; ; port += 1) {
    const server = createServer().listen(port, host);
    try {
      await once(server, "listening");
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === "EADDRINUSE") continue;
      return port; // What cannot be listened at is better said by its user.
    }
    const { port: free } = /** @type {import("node:net").AddressInfo} */ (server.address());
    server.close();
    await once(server, "close");
    return free;
  }
}
