// Output by streams of C++, of which most is inlined from headers.
#include <fstream>
#include <iostream>

int main()
{
    std::ofstream out("numbers");
    for (int k = 0; k < 300; k++)
        out << k * 0.5 << std::endl;
    out.close();
    std::ifstream in("numbers");
    double sum = 0, number = 0;
    while (in >> number)
        sum += number;
    std::cout << sum << "\n";
}
