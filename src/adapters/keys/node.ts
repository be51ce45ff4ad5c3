// Keys and certificates by node:crypto.

import {
  constants,
  createHash,
  createPrivateKey,
  createVerify,
  generateKeyPair,
  type KeyObject,
  type Verify,
  type VerifyKeyObjectInput,
  X509Certificate,
} from 'node:crypto';
import { promisify } from 'node:util';
import { Failure } from '../../errors.ts';
import type {
  CertificateFacts,
  CertificateId,
  ChainCheck,
  HashAlgorithm,
  Keys,
  SignatureCheck,
} from '../../ports/keys.ts';
import { certificationRequest } from './certification-request.ts';
import { elementAt, elements } from './der.ts';

const generate = promisify(generateKeyPair);
const rsaBits = 2048;
/** A chain that is longer is not looked at. */
const maxChainLength = 10;

export class NodeKeys implements Keys {
  async request(
    subject: { readonly commonName: string; readonly organization: string | null },
    algorithm: 'EC' | 'RSA',
  ): Promise<{ readonly key: string; readonly csr: string }> {
    const { privateKey } =
      algorithm === 'RSA'
        ? await generate('rsa', { modulusLength: rsaBits })
        : await generate('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return { key, csr: certificationRequest(subject, privateKey) };
  }

  read(certificate: string, others: readonly string[] = []): CertificateFacts {
    const read = parsed(certificate);
    return {
      validFromMs: read.validFromDate.getTime(),
      validToMs: read.validToDate.getTime(),
      isAuthority: read.ca,
      isSelfSigned: isIssuedBy(read, read),
      isSignedByOther: others.some((other) => isIssuedBy(read, parsed(other))),
    };
  }

  identify(certificate: string, algorithm: HashAlgorithm, others: readonly string[] = []): CertificateId {
    const read = parsed(certificate);
    const issuer = isIssuedBy(read, read) ? read : others.map(parsed).find((other) => isIssuedBy(read, other));
    const hash = (bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex');
    return {
      hashAlgorithm: algorithm,
      issuerNameHash: hash(issuerName(read)),
      issuerKeyHash: hash(publicKeyBits(issuer ?? read)),
      serialNumber: read.serialNumber.toLowerCase().replace(/^0+(?=.)/, ''),
    };
  }

  check({ chain, key, roots, atMs }: ChainCheck): string | null {
    try {
      return wrongWith(certificatesIn(chain), key, roots, atMs);
    } catch {
      return 'it cannot be read as a certificate';
    }
  }

  signatureCheck(certificate: string): SignatureCheck {
    const { publicKey } = parsed(certificate);
    // A hash can be verified once: each way of signing has its own.
    const ways = waysOfSigning(publicKey).map((way) => ({ way, verifier: createVerify('sha256') }));
    return {
      take: (piece) => {
        for (const { verifier } of ways) verifier.update(piece);
      },
      isRight: (signature) =>
        ways.some(({ way, verifier }) => isVerified(verifier, { key: publicKey, ...way }, signature)),
    };
  }
}

function isVerified(verifier: Verify, key: VerifyKeyObjectInput, signature: string): boolean {
  try {
    return verifier.verify(key, signature, 'base64');
  } catch {
    // Not even the look of a signature.
    return false;
  }
}

function waysOfSigning(key: KeyObject): readonly object[] {
  if (key.asymmetricKeyType !== 'rsa') return [{ dsaEncoding: 'der' }, { dsaEncoding: 'ieee-p1363' }];
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = constants;
  return [{ padding: RSA_PKCS1_PADDING }, { padding: RSA_PKCS1_PSS_PADDING }];
}

function wrongWith(
  chain: readonly X509Certificate[],
  key: string | undefined,
  rootTexts: readonly string[],
  atMs: number,
): string | null {
  const [first] = chain;
  if (first === undefined) return 'it cannot be read as a certificate';
  if (chain.length > maxChainLength) return `it has more than ${maxChainLength} certificates`;
  if (key !== undefined && !first.checkPrivateKey(createPrivateKey(key))) return 'it belongs to another key';
  for (const [index, certificate] of chain.entries()) {
    if (atMs < certificate.validFromDate.getTime()) return 'it is not valid yet';
    if (atMs > certificate.validToDate.getTime()) return 'it has expired';
    const issuer = chain[index + 1];
    if (issuer !== undefined && !(issuer.ca && isIssuedBy(certificate, issuer))) return 'its chain does not hold';
  }
  const last = chain.at(-1) ?? first;
  const roots = rootTexts.flatMap(certificatesIn);
  const isTrusted = roots.some((root) => isIssuedBy(last, root) || last.raw.equals(root.raw));
  return roots.length === 0 || isTrusted ? null : 'it was issued by nobody who is trusted here';
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

function parsed(certificate: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (error) {
    throw new Failure('bad_certificate', undefined, { cause: error });
  }
}

const certificatesIn = (text: string): readonly X509Certificate[] =>
  (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(parsed);

const explicitVersionTag = 0xa0;

/** The fields of the signed part from the serial number on: the version before it may be left out. */
function signedFields({ raw }: X509Certificate) {
  const fields = elements(elementAt(raw, 0, 0).content);
  return fields[0]?.tag === explicitVersionTag ? fields.slice(1) : fields;
}

/** Serial number, signature algorithm, issuer. */
const issuerName = (certificate: X509Certificate): Buffer => signedFields(certificate)[2]?.whole ?? Buffer.alloc(0);

/** Validity, subject, public key: of its bit string the bits, without the count of unused ones. */
function publicKeyBits(certificate: X509Certificate): Buffer {
  const info = signedFields(certificate)[5]?.content ?? Buffer.alloc(0);
  return elementAt(info, 1).content.subarray(1);
}
