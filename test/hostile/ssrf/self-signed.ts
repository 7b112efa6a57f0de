import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate that vouches for itself, and its key, both as PEM. */
export interface SelfSigned {
  readonly certificate: string;
  readonly key: string;
}

const OID = {
  ecdsaWithSha256: '06082a8648ce3d040302',
  commonName: '0603550403',
  subjectAltName: '0603551d11',
} as const;

/** A certificate of today for one DNS name, written by hand since Node makes none. */
export function selfSigned(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(Buffer.from(OID.ecdsaWithSha256, 'hex'));
  const content = contentOf(name, publicKey, algorithm);
  const signature = tagged(0x03, Buffer.of(0), sign('sha256', content, privateKey));
  return {
    certificate: pem(sequence(content, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function contentOf(name: string, publicKey: KeyObject, algorithm: Buffer): Buffer {
  const day = 86_400_000;
  const subject = sequence(
    tagged(0x31, sequence(Buffer.from(OID.commonName, 'hex'), tagged(0x0c, Buffer.from(name)))),
  );
  const names = sequence(tagged(0x82, Buffer.from(name)));
  return sequence(
    tagged(0xa0, tagged(0x02, Buffer.of(2))),
    tagged(0x02, Buffer.of(1)),
    algorithm,
    subject,
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + day))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(Buffer.from(OID.subjectAltName, 'hex'), tagged(0x04, names)))),
  );
}

/** An ASN.1 value in DER: tag, length, content. */
function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const length =
    value.length < 128 ? Buffer.of(value.length) : Buffer.of(0x82, value.length >> 8, value.length & 0xff);
  return Buffer.concat([Buffer.of(tag), length, value]);
}

const sequence = (...content: readonly Buffer[]): Buffer => tagged(0x30, ...content);

const time = (at: Date): Buffer =>
  tagged(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  );

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
