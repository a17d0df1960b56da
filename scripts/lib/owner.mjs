// @ts-check
// What only the owner of the project can say. It is written in release/owner.json and nowhere else.
import { join } from "node:path";
import { root } from "./paths.mjs";
import { readJson } from "./read-json.mjs";

/**
 * @typedef {object} Owner A field that is not filled in yet is an empty string.
 * @property {string} repository for example https://github.com/owner/name
 * @property {string} author of the package, for example "Name <name@example.com>"
 * @property {string} homepage where the guides are published, or the repository with #readme
 * @property {string} securityContact an address or a page for reports of security problems
 * @property {string} conductContact an address for reports about conduct
 */

/** @returns {Promise<Owner>} */
export const readOwner = () => readJson(join(root, "release/owner.json"));
