/** What Node-RED puts into the box of a credential that is stored. */
export const STORED_PASSWORD = "__PWRD__";
