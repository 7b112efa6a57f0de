import { type Nicknames, productsIn } from './bundle';

/** Watches as a resale market lists them; popularity is made up. */
export const WATCHES = productsIn(
  'watches',
  `
brand | family | model | case | dial | sizes | popularity | keywords
Rolex | Submariner | Submariner Date | Oystersteel | Black | 41 mm | 970 | 126610LN, diver
Rolex | Submariner | Submariner Date | Oystersteel | Green | 40 mm | 850 | 116610LV, Hulk
Rolex | Submariner | Submariner | Oystersteel | Black | 41 mm | 720 | 124060, no date
Rolex | Submariner | Submariner Date | Yellow Gold | Blue | 41 mm | 480 | 126618LB
Rolex | GMT-Master II | GMT-Master II | Oystersteel | Black | 40 mm | 900 | 126710BLRO, Pepsi
Rolex | GMT-Master II | GMT-Master II | Oystersteel | Blue Black | 40 mm | 830 | 126710BLNR, Batman, Batgirl
Rolex | GMT-Master II | GMT-Master II | Everose Rolesor | Black | 40 mm | 560 | 126711CHNR, Root Beer
Rolex | Daytona | Cosmograph Daytona | Oystersteel | White | 40 mm | 960 | 116500LN, Panda, ceramic bezel
Rolex | Daytona | Cosmograph Daytona | Platinum | Ice Blue | 40 mm | 430 | 116506
Rolex | Day-Date | Day-Date 40 | Yellow Gold | Champagne | 40 mm | 620 | 228238, president
Rolex | Day-Date | Day-Date 40 | Everose Gold | Olive | 40 mm | 450 | 228235, president
Rolex | Day-Date | Day-Date 36 | Yellow Gold | Champagne | 36 mm | 470 | 128238, president
Rolex | Datejust | Datejust 41 | White Rolesor | Blue | 41 mm | 840 | 126334, fluted bezel, jubilee
Rolex | Datejust | Datejust 41 | White Rolesor | Slate Roman | 41 mm | 690 | 126334, Wimbledon
Rolex | Datejust | Datejust 36 | White Rolesor | Mint Green | 36 mm | 580 | 126234, jubilee
Rolex | Explorer | Explorer | Oystersteel | Black | 36 mm | 540 | 124270
Rolex | Explorer | Explorer II | Oystersteel | White | 42 mm | 510 | 226570, Polar
Rolex | Sky-Dweller | Sky-Dweller | White Rolesor | Blue | 42 mm | 460 | 326934, annual calendar
Rolex | Milgauss | Milgauss | Oystersteel | Z-Blue | 40 mm | 380 | 116400GV
Rolex | Sea-Dweller | Sea-Dweller | Oystersteel | Black | 43 mm | 370 | 126600
Rolex | Oyster Perpetual | Oyster Perpetual 41 | Oystersteel | Turquoise Blue | 41 mm | 550 | 124300, Tiffany
Patek Philippe | Nautilus | Nautilus | Stainless Steel | Blue | 40 mm | 940 | 5711/1A-010
Patek Philippe | Nautilus | Nautilus | Stainless Steel | White | 40 mm | 600 | 5711/1A-011
Patek Philippe | Nautilus | Nautilus Moon Phases | Stainless Steel | Blue | 40 mm | 530 | 5712/1A-001
Patek Philippe | Aquanaut | Aquanaut | Stainless Steel | Black | 40 mm | 640 | 5167A-001
Patek Philippe | Calatrava | Calatrava | White Gold | Ivory | 39 mm | 330 | 5227G-001
Audemars Piguet | Royal Oak | Royal Oak Selfwinding | Stainless Steel | Blue | 41 mm | 820 | 15500ST
Audemars Piguet | Royal Oak | Royal Oak Extra-Thin | Stainless Steel | Blue | 39 mm | 700 | 15202ST, Jumbo
Audemars Piguet | Royal Oak Offshore | Royal Oak Offshore Chronograph | Titanium | Black | 42 mm | 420 | 26470ST
Omega | Speedmaster | Moonwatch Professional | Stainless Steel | Black | 42 mm | 860 | 310.30.42.50.01.001, hesalite, chronograph
Omega | Seamaster | Diver 300M | Stainless Steel | Blue | 42 mm | 650 | 210.30.42.20.03.001, James Bond
Omega | Seamaster | Aqua Terra | Stainless Steel | Green | 41 mm | 410 | 220.10.41.21.10.001
Omega | Constellation | Constellation | Sedna Gold | Silver | 39 mm | 200
Cartier | Tank | Tank Must | Stainless Steel | Silver | Small, Large | 610 | WSTA0041
Cartier | Tank | Tank Française | Stainless Steel | Silver | Small, Medium | 490 | WSTA0065
Cartier | Tank | Tank Américaine | Rose Gold | White | Small | 260 | WGTA0134
Cartier | Santos | Santos de Cartier | Stainless Steel | Silver | Medium, Large | 630 | WSSA0018
Cartier | Ballon Bleu | Ballon Bleu de Cartier | Stainless Steel | Silver | 33 mm, 36 mm, 40 mm | 520
Cartier | Panthère | Panthère de Cartier | Yellow Gold | Silver | Mini, Small, Medium | 400
IWC | Portugieser | Portugieser Chronograph | Stainless Steel | White | 41 mm | 390 | IW371605
IWC | Pilot's Watches | Big Pilot | Stainless Steel | Black | 46 mm | 340 | IW501001
Jaeger-LeCoultre | Reverso | Reverso Classic | Stainless Steel | Silver | Medium, Large | 440 | Q2438520
Vacheron Constantin | Overseas | Overseas Self-Winding | Stainless Steel | Blue | 41 mm | 500 | 4500V
Tudor | Black Bay | Black Bay Fifty-Eight | Stainless Steel | Navy Blue | 39 mm | 570 | M79030B, BB58
Tudor | Pelagos | Pelagos FXD | Titanium | Blue | 42 mm | 300
TAG Heuer | Monaco | Monaco Calibre 11 | Stainless Steel | Blue | 39 mm | 360 | CAW211P, Steve McQueen
TAG Heuer | Carrera | Carrera Chronograph | Stainless Steel | Black | 42 mm | 350
Breitling | Navitimer | Navitimer B01 Chronograph | Stainless Steel | Black | 43 mm | 370 | AB0138
Panerai | Luminor | Luminor Marina | Stainless Steel | Black | 44 mm | 320 | PAM01312
A. Lange & Söhne | Lange 1 | Lange 1 | Pink Gold | Argenté | 38.5 mm | 310 | 191.032
Grand Seiko | Heritage | Spring Drive | Titanium | White | 41 mm | 340 | SBGA211, Snowflake
Bulgari | Octo | Octo Finissimo | Titanium | Grey | 40 mm | 290
Bulgari | Serpenti | Serpenti Tubogas | Rose Gold | Black | 35 mm | 270
Richard Mille | RM 11 | RM 11-03 | Titanium | Skeleton | 50 mm | 250 | flyback chronograph
`,
);

/** What people also type for a name; in other scripts as well. */
export const WATCH_NICKNAMES: Nicknames = {
  Rolex: ['ロレックス', 'Ролекс', '劳力士'],
  Omega: ['オメガ', 'Омега'],
  Cartier: ['カルティエ', 'Картье'],
  'Patek Philippe': ['PP', 'パテック フィリップ', 'Патек Филипп'],
  'Audemars Piguet': ['AP'],
  'Jaeger-LeCoultre': ['JLC'],
  'Vacheron Constantin': ['VC'],
  Bulgari: ['Bvlgari'],
  Submariner: ['sub'],
  Oystersteel: ['stainless steel', '904L'],
  'White Rolesor': ['steel', 'white gold'],
  'Moonwatch Professional': ['moon watch'],
};
