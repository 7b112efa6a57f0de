import { useState } from 'preact/hooks';

interface Props {
  readonly src: string | undefined;
  /** Empty where the name stands beside it. */
  readonly alt: string;
  readonly eager?: boolean;
}

/** A square tile with a whole picture in it. */
export function Picture({ src, alt, eager = false }: Props) {
  const [broken, setBroken] = useState<string>();
  return (
    <span class="picture">
      {src === undefined || broken === src ? (
        <span class="none">No picture</span>
      ) : (
        <img
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setBroken(src)}
        />
      )}
    </span>
  );
}
