// The contacts in SECURITY.md and CODE_OF_CONDUCT.md, from release/owner.json.
import type { Owner } from "./owner.mjs";

/** The pages at the root that have a contact. */
export const PAGES_WITH_CONTACT = ["SECURITY.md", "CODE_OF_CONDUCT.md"];

const MISSING = "is not filled in yet: the owner of the project writes it into `release/owner.json`";

const SENTENCES: Readonly<Record<string, (owner: Owner) => string>> = {
  security: ({ securityContact, repository }) =>
    [
      "Report it in private, never in a public issue.",
      securityContact === "" ? `The contact ${MISSING}.` : `Write to ${linked(securityContact)}.`,
      repository === ""
        ? "On GitHub, *Report a vulnerability* under *Security* of the repository does the same, if it is turned on."
        : `On GitHub, [report a vulnerability](${repository}/security/advisories/new) does the same.`,
    ].join(" "),
  conduct: ({ conductContact }) =>
    conductContact === "" ? `The contact for reports ${MISSING}.` : `Write to ${linked(conductContact)}.`,
};

/** @param contact a mail address, or the address of a page */
function linked(contact: string) {
  return contact.includes("@") && !contact.includes("/") ? `[${contact}](mailto:${contact})` : `<${contact}>`;
}

/** A page with the contacts between its markers. */
export function withContacts(page: string, owner: Owner): string {
  return page.replaceAll(
    /(<!-- contact:(\w+) -->\n)[\s\S]*?(<!-- \/contact -->)/g,
    (_all, start, kind, end) => `${start}${SENTENCES[kind]?.(owner)}\n${end}`,
  );
}
