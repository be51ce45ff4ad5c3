// Keys and certificates of chargers: key pairs, requests for certificates, and what can be checked about certificates. All PEM.

export type HashAlgorithm = 'SHA256' | 'SHA384' | 'SHA512';

/** How OCPP names a certificate, by hashes of its issuer. Hexadecimal in lower case. */
export interface CertificateId {
  readonly hashAlgorithm: HashAlgorithm;
  readonly issuerNameHash: string;
  readonly issuerKeyHash: string;
  readonly serialNumber: string;
}

export interface CertificateFacts {
  readonly validFromMs: number;
  readonly validToMs: number;
  /** It may issue others. */
  readonly isAuthority: boolean;
  readonly isSelfSigned: boolean;
  /** Signed by one of those that were given beside it. */
  readonly isSignedByOther: boolean;
}

export interface ChainCheck {
  /** The certificate in question first, then each one's issuer; the last one's issuer may be left out. */
  readonly chain: string;
  /** The private key that the first one must belong to. */
  readonly key?: string;
  /** Who is trusted; nobody in particular when empty: then the chain must only be right in itself. */
  readonly roots: readonly string[];
  readonly atMs: number;
}

/** Takes the signed content piece by piece, then tells whether the signature is the certificate's. */
export interface SignatureCheck {
  take(piece: Uint8Array): void;
  /** `signature` is base64. */
  isRight(signature: string): boolean;
}

/** Nothing here touches the network. What cannot be read as a certificate fails with `bad_certificate`. */
export interface Keys {
  /** A new key pair, ECDSA on P-256 or RSA of 2048 bits, and a request (PKCS #10) for its certificate. */
  request(
    subject: { readonly commonName: string; readonly organization: string | null },
    algorithm: 'EC' | 'RSA',
  ): Promise<{ readonly key: string; readonly csr: string }>;

  read(certificate: string, others?: readonly string[]): CertificateFacts;

  /** The issuer is looked for among `others`; one that is not there is taken to be the certificate itself. */
  identify(certificate: string, algorithm: HashAlgorithm, others?: readonly string[]): CertificateId;

  /** What is wrong with the chain, in a sentence; null when nothing is. What cannot be read is wrong, too. */
  check(chain: ChainCheck): string | null;

  /** Of a signature over the SHA-256 of some content. */
  signatureCheck(certificate: string): SignatureCheck;
}
