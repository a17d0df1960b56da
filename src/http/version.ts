/** The version of this package, as `package.json` says it; sent in `User-Agent`. */
export const VERSION = "0.1.0";
