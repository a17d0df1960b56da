import type { Owner } from "../../scripts/lib/owner.mjs";

/** Nobody's. */
export const FILLED_OWNER: Owner = {
  repository: "https://github.com/somebody/node-red-crec",
  author: "Somebody <somebody@mail.test>",
  homepage: "https://somebody.test/node-red-crec",
  securityContact: "security@mail.test",
  conductContact: "https://somebody.test/conduct",
};

export const UNSET_OWNER: Owner = {
  repository: "",
  author: "",
  homepage: "",
  securityContact: "",
  conductContact: "",
};
