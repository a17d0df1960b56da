/** How long a signature may take in milliseconds, by key service, where nothing else is said. */
export const SIGNING_TIMEOUTS_MS = {
  "aws-kms": 60_000,
  vault: 60_000,
  /** People approve. */
  fireblocks: 30 * 60_000,
  privy: 60_000,
  /** A person may be asked. */
  remote: 5 * 60_000,
} as const;

/** What is needed to verify a proof of the public service. Tenant, threshold and signers belong together. */
export const PUBLIC_VERIFICATION = {
  creTenantId: "1",
  minRequiredSignatures: 4,
  /** Documented August 2026; an organization can get its own at onboarding. */
  validSigners: [
    "0xff9b062fccb2f042311343048b9518068370f837",
    "0xe55fcaf921e76c6bbcf9415bba12b1236f07b0c3",
    "0x4d6cfd44f94408a39fb1af94a53c107a730ba161",
    "0xde5cd1dd4300a0b4854f8223add60d20e1dfe21b",
    "0xf3baa9a99b5ad64f50779f449bac83baac8bfdb6",
    "0xd7f22fb5382ff477d2ff5c702cab0ef8abf18233",
    "0xcdf20f8ffd41b02c680988b20e68735cc8c1ca17",
    "0x4d7d71c7e584cfa1f5c06275e5d283b9d3176924",
    "0xedf4bc027a750d1a88b8ca3ec5e8a5506f6019be",
    "0x4f99b550623e77b807df7cbed9c79d55e1163b48",
  ],
} as const;
